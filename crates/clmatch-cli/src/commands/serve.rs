//! `clmatch serve [PATH...]`: the web application on this computer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::{Command, ExitCode, Stdio};

use clmatch_analysis::source;
use clmatch_serve::{ServeSettings, new_token, serve};

use crate::args::ServeArgs;
use crate::commands::use_threads;
use crate::failure::{Failure, emit};
use crate::interrupt;
use crate::output;

pub fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let sources = if args.paths.is_empty() { Vec::new() } else { source::find(&args.paths)?.sources };
    let usual = ServeSettings::default();
    let token = args.host.is_some().then(new_token).transpose();
    let token = token.map_err(|error| Failure::other(format!("cannot make a token: {error}")))?;
    let settings = ServeSettings {
        host: args.host.unwrap_or(usual.host),
        port: args.port,
        token: token.clone(),
        sources,
        max_upload: args.max_upload,
        time_limit: args.time_limit,
        queue: args.queue as usize,
        workers: args.workers as usize,
        memory: args.memory,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..usual
    };
    interrupt::watch_keeping();
    let served = serve(settings, &interrupt::STOP, |address| announce(args, address, token.as_deref()));
    served.map_err(|error| Failure {
        help: Some("choose another --port; 0 takes a free one".to_owned()),
        ..Failure::other(error.to_string())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the address, and opens it in a browser if requested.
fn announce(args: &ServeArgs, address: SocketAddr, token: Option<&str>) {
    let token = token.map(|token| format!("?token={token}")).unwrap_or_default();
    let url = format!("http://{}/{token}", within_reach(address));
    // A closed standard output is not a reason to refuse to serve.
    let _ = output::print(&format!("{url}\n"));
    if !args.quiet {
        emit("note", "open this address in a browser; Ctrl-C ends the server");
        if address.ip().is_unspecified() {
            emit("note", "other computers put the name of this one in the place of the number");
        }
    }
    if args.open && !open(&url) {
        emit("warning", "no browser could be opened");
    }
}

/// An address that a browser on this computer can open: the unspecified address (0.0.0.0) cannot be opened.
fn within_reach(address: SocketAddr) -> SocketAddr {
    let own: IpAddr = match address.ip() {
        IpAddr::V4(own) if own.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(own) if own.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        own => own,
    };
    SocketAddr::new(own, address.port())
}

/// Opens an address with the program that the system provides for it.
fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_can_open_what_is_printed() {
        for (address, printed) in [
            ("0.0.0.0:8000", "127.0.0.1:8000"),
            ("[::]:8000", "[::1]:8000"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("192.0.2.7:8000", "192.0.2.7:8000"),
        ] {
            assert_eq!(within_reach(address.parse().unwrap()).to_string(), printed);
        }
    }
}
