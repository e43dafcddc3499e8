//! The application without a network: a request goes in, its answer comes out. Fuzzing and tests use it.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use tokio::runtime::{Builder, Runtime};

use crate::api;
use crate::guard::RequestGuard;
use crate::server::ServeError;
use crate::settings::ServeSettings;
use crate::state::App;

/// The address that requests without a `Host` are sent to.
const HOST: &str = "127.0.0.1:80";

/// The application in this process. Dropping it stops its jobs.
pub struct InProcess {
    runtime: Runtime,
    router: Router,
    app: App,
    workers: Vec<JoinHandle<()>>,
}

/// The answer to a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl InProcess {
    /// Starts the application, with the threads that do its work.
    ///
    /// # Errors
    /// [`ServeError::Start`] if the system cannot provide threads.
    pub fn start(settings: ServeSettings) -> Result<Self, ServeError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(ServeError::Start)?;
        let guard = RequestGuard::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 80)), settings.token.clone());
        let workers = settings.workers;
        let app = App::new(settings);
        let workers = app.jobs.start(workers).map_err(ServeError::Start)?;
        let router = api::router(app.clone(), guard);
        Ok(InProcess { runtime, router, app, workers })
    }

    /// Answers a request; `None` if it is not valid HTTP. A request without a `Host` gets the right one.
    pub fn answer(
        &self,
        method: &str,
        address: &str,
        headers: &[(&str, &[u8])],
        body: &[u8],
    ) -> Option<Answer> {
        let mut request = Request::builder().method(method).uri(address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(header::HOST.as_str())) {
            request = request.header(header::HOST, HOST);
        }
        let request = request.body(Body::from(body.to_vec())).ok()?;
        self.runtime.block_on(async {
            let Ok(response) = TowerToHyperService::new(self.router.clone()).call(request).await;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.ok()?.to_bytes().to_vec();
            Some(Answer { status, body })
        })
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.app.jobs.close();
        self.workers.drain(..).for_each(|worker| drop(worker.join()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_as_over_the_network() {
        let application = InProcess::start(ServeSettings::default()).expect("it starts");
        let ask = |method, address, headers: &[(&str, &[u8])]| {
            application.answer(method, address, headers, &[]).map(|answer| answer.status)
        };
        assert_eq!(ask("POST", "/api/score?dataset=iris&measures=clm&wait=60", &[]), Some(200));
        assert_eq!(ask("GET", "/api/jobs/1", &[]), Some(200));
        assert_eq!(ask("GET", "/api/jobs/2", &[]), Some(404));
        assert_eq!(ask("GET", "/", &[("host", b"elsewhere:80")]), Some(421), "the guard stands before it");
        assert_eq!(ask("GET", "no address", &[]), None);
    }
}
