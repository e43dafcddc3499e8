//! The native part of the Python package `clmatch`: arrays in, numbers and results as JSON out.
//!
//! Whatever can be written in Python is in `python/clmatch`: conversion of anything that holds numbers to arrays, docstrings,
//! result objects. This crate holds what needs Rust: borrowed arrays become points ([`arrays`]), work runs without the
//! interpreter's lock and can be interrupted ([`work`]), errors become exceptions ([`errors`]).

// Extracted arguments belong to the function that Python calls.
#![allow(clippy::needless_pass_by_value)]

mod advice;
mod arrays;
mod benchmarks;
mod command;
mod datasets;
mod diagnosis;
mod errors;
mod external;
mod frames;
mod inspection;
mod measures;
mod results;
mod settings;
mod summary;
mod work;

/// The module `clmatch._clmatch`.
#[pyo3::pymodule]
mod _clmatch {
    #[pymodule_export]
    use super::benchmarks::{compare, pick, stability, truth};
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::datasets::{catalogue, read};
    #[pymodule_export]
    use super::diagnosis::{explain, improve, relabel};
    #[pymodule_export]
    use super::external::agreement;
    #[pymodule_export]
    use super::frames::from_arrow;
    #[pymodule_export]
    use super::inspection::inspect;
    #[pymodule_export]
    use super::measures::{describe_measures, measure, point_values};
    #[pymodule_export]
    use super::results::{evaluate, order, rank_paths};
    #[pymodule_export]
    use super::summary::{NativeSecondPass, NativeSummary};
}
