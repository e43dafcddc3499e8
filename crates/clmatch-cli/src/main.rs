//! The command `clmatch`.
fn main() {}
