//! Nothing is done here: without a build script cargo would not look at the features that `shared-builds` turns on in `syn`.

fn main() {}
