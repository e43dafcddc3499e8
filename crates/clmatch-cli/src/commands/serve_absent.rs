//! `clmatch serve` in a build without the web application.

use std::process::ExitCode;

use crate::args::ServeArgs;
use crate::failure::Failure;

pub fn run(_: &ServeArgs) -> Result<ExitCode, Failure> {
    Err(Failure {
        help: Some(
            "build clmatch with `--features serve`; `clmatch report` writes the same page as a file"
                .to_owned(),
        ),
        ..Failure::other("this build of clmatch has no web application")
    })
}
