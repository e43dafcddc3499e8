//! Where to listen, and every limit.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use clmatch_data::Source;

/// Everything that can be chosen.
#[derive(Debug, Clone)]
pub struct ServeSettings {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 chooses a free one.
    pub port: u16,
    /// The token that requests must present; `None` if only this computer can connect.
    pub token: Option<String>,
    /// Datasets that are offered from the start.
    pub sources: Vec<Source>,
    /// The largest request body, in bytes.
    pub max_upload: u64,
    /// How long a job may take.
    pub time_limit: Duration,
    /// How many jobs may wait.
    pub queue: usize,
    /// How many jobs run at the same time.
    pub workers: usize,
    /// How much memory uploads and jobs may take together, in bytes.
    pub memory: u64,
    /// How long a client may take over a request.
    pub patience: Patience,
    /// The version that pages show.
    pub version: String,
}

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the head of a request, and between two requests of a connection.
    pub head: Duration,
    /// Between two pieces of a body.
    pub piece: Duration,
    /// For a whole body.
    pub body: Duration,
    /// For a connection as a whole: it is closed then, whatever is in progress.
    pub connection: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            head: Duration::from_secs(15),
            piece: Duration::from_secs(10),
            body: Duration::from_secs(120),
            connection: Duration::from_secs(900),
        }
    }
}

impl Default for ServeSettings {
    fn default() -> Self {
        ServeSettings {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            token: None,
            sources: Vec::new(),
            max_upload: 64_000_000,
            time_limit: Duration::from_secs(300),
            queue: 32,
            workers: 2,
            memory: 2_000_000_000,
            patience: Patience::default(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}
