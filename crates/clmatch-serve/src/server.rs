//! Connections: accepted one by one, limited in number and time, and closed in an orderly way.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use clmatch_kernels::Stop;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::api;
use crate::guard::RequestGuard;
use crate::settings::{Patience, ServeSettings};
use crate::state::App;

/// The maximum number of simultaneous connections; further ones wait for their turn.
const CONNECTIONS: usize = 512;
/// Threads that answer requests; jobs have threads of their own.
const THREADS: usize = 2;
/// How often the server checks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);
/// How long answers in progress may take once the server should stop.
const FAREWELL: Duration = Duration::from_secs(5);

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is taken, or may not be used.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why it cannot be used.
        #[source]
        error: io::Error,
    },
    /// The system cannot provide threads.
    #[error("cannot start: {0}")]
    Start(#[source] io::Error),
}

/// Answers requests until `stop` is raised. Calls `ready` with the address once connections are accepted.
///
/// # Errors
/// [`ServeError`] if the server cannot start.
pub fn serve(settings: ServeSettings, stop: &Stop, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    runtime.block_on(run(settings, stop, ready))
}

async fn run(settings: ServeSettings, stop: &Stop, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let address = SocketAddr::new(settings.host, settings.port);
    let cannot = |error| ServeError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let guard = RequestGuard::new(address, settings.token.clone());
    let (workers, patience) = (settings.workers, settings.patience);
    let app = App::new(settings);
    let workers = app.jobs.start(workers).map_err(ServeError::Start)?;
    let router = api::router(app.clone(), guard);
    ready(address);
    let connections = GracefulShutdown::new();
    tokio::select! {
        () = accept(&listener, &router, patience, &connections) => {}
        () = raised(stop) => {}
    }
    drop(listener);
    // Clients that wait for a job are informed that it was cancelled, and then the connections end.
    app.jobs.close();
    let _ = timeout(FAREWELL, connections.shutdown()).await;
    join(workers).await;
    Ok(())
}

async fn raised(stop: &Stop) {
    while stop.check().is_ok() {
        sleep(LOOK).await;
    }
}

/// Waits for the workers, which end once their jobs have noticed that they are stopped.
async fn join(workers: Vec<JoinHandle<()>>) {
    let join = || workers.into_iter().for_each(|worker| drop(worker.join()));
    let _ = tokio::task::spawn_blocking(join).await;
}

async fn accept(listener: &TcpListener, router: &Router, patience: Patience, connections: &GracefulShutdown) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => answer(stream, place, router.clone(), patience, connections),
            // Too many open files, or a client that has disconnected: neither is a reason to stop.
            Err(_) => sleep(LOOK).await,
        }
    }
}

/// Answers the requests of one connection.
fn answer(
    stream: TcpStream,
    place: OwnedSemaphorePermit,
    router: Router,
    patience: Patience,
    connections: &GracefulShutdown,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        // This also ends the connection of a client that does not read its answer.
        let _ = timeout(patience.connection, connection).await;
        drop(place);
    });
}
