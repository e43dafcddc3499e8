//! The web application on this computer: the API, the pages, and the guards around them.
//!
//! [`serve`] answers on one address until it is told to stop. Long work is a job, subject to a bounded queue, worker threads, a
//! time limit, and memory that is reserved before a job is accepted. A request that finds the queue or the memory full is refused
//! with "busy" and a time after which to come back.
//!
//! | module | purpose |
//! |---|---|
//! | [`settings`] | where to listen, and every limit |
//! | `guard` | which requests are answered at all: host, origin, token; the headers of every answer |
//! | `uploads` | request bodies into memory: not too much, and not too slowly |
//! | `datasets` | what can be asked about: files of the command line, embedded datasets, uploads |
//! | `parameters` | query parameters by tables, which the API description is made from as well |
//! | `kinds` | the kinds of jobs: from parameters to a finished result and its page |
//! | `jobs` | the queue, the workers, and what is kept of finished jobs |
//! | `api`, `pages` | what the addresses answer |
//! | `openapi` | the description of the API |
//! | `in_process` | requests and answers without a network |
//!
//! Nothing is written to disk, and a path in a request is never opened: uploads stay in memory, and datasets of the command line
//! are requested by the id that they got at the start.

mod api;
mod datasets;
mod guard;
mod in_process;
mod jobs;
mod kinds;
mod memory;
mod openapi;
mod pages;
mod parameters;
mod problem;
mod server;
pub mod settings;
mod state;
mod uploads;

pub use guard::new_token;
pub use in_process::{Answer, InProcess};
pub use server::{ServeError, serve};
pub use settings::ServeSettings;
