//! From files to data and back: readers, scaling, missing values, embedded datasets.
