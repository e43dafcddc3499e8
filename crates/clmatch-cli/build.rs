//! Does nothing: without a build script cargo would ignore the features that `shared-builds` turns on in `syn`.

fn main() {}
