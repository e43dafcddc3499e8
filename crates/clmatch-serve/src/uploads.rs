//! Reads request bodies into memory: limited in size and time, and accounted for before they are read.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout, timeout_at};

use crate::memory::{Reservation, human};
use crate::problem::ApiProblem;
use crate::state::App;

/// How long a client that sends too much may continue, so that it sees the answer.
const DISCARDED: Duration = Duration::from_secs(1);

/// Reads a body. Its memory is reserved first: the length that it declares, or else the largest that is allowed.
pub(crate) async fn receive(
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Bytes, Reservation), ApiProblem> {
    let limit = app.settings.max_upload;
    let said = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let patience = app.settings.patience;
    if said.is_some_and(|length| length > limit) {
        discard(body, DISCARDED).await;
        return Err(too_large(limit));
    }
    let reservation = match reserve(app, said.unwrap_or(limit)) {
        Ok(reservation) => reservation,
        Err(problem) => {
            discard(body, DISCARDED).await;
            return Err(problem);
        }
    };
    let bytes = collect(body, limit, patience.piece, Instant::now() + patience.body).await?;
    if bytes.is_empty() {
        return Err(ApiProblem::bad_request("the body is empty").help("send the file as the body"));
    }
    Ok((bytes, reservation))
}

/// Reads on for a moment and discards everything: a client that is still sending would not see the answer otherwise.
async fn discard(mut body: Body, time: Duration) {
    let all = async { while let Some(Ok(_)) = body.frame().await {} };
    // A client that sends for longer finds the connection closed.
    let _ = timeout(time, all).await;
}

/// Reserves memory; older uploads that are not in use make room.
fn reserve(app: &App, bytes: u64) -> Result<Reservation, ApiProblem> {
    loop {
        match app.memory.reserve(bytes) {
            Err(problem) if problem.status == StatusCode::SERVICE_UNAVAILABLE => {
                if !app.datasets.forget_oldest() {
                    return Err(problem);
                }
            }
            reserved => return reserved,
        }
    }
}

/// Collects all pieces of a body, each within `piece`, all by `deadline`.
async fn collect(
    mut body: Body,
    limit: u64,
    piece: Duration,
    deadline: Instant,
) -> Result<Bytes, ApiProblem> {
    let slow = || {
        ApiProblem::new(StatusCode::REQUEST_TIMEOUT, "the body comes too slowly")
            .help("send it over a faster connection, or send a packed file")
    };
    let mut all = BytesMut::new();
    loop {
        let next = timeout_at(deadline, timeout(piece, body.frame())).await;
        let frame = match next {
            Err(_) | Ok(Err(_)) => return Err(slow()),
            Ok(Ok(None)) => return Ok(all.freeze()),
            Ok(Ok(Some(Err(error)))) => {
                return Err(ApiProblem::bad_request(format!("the body cannot be read: {error}"))
                    .help("send it again"));
            }
            Ok(Ok(Some(Ok(frame)))) => frame,
        };
        if let Some(data) = frame.data_ref() {
            if all.len() as u64 + data.len() as u64 > limit {
                return Err(too_large(limit));
            }
            all.extend_from_slice(data);
        }
    }
}

fn too_large(limit: u64) -> ApiProblem {
    let what = format!("the body is larger than the {} that are allowed", human(limit));
    ApiProblem::new(StatusCode::PAYLOAD_TOO_LARGE, what)
        .help("pack the file, use fewer rows, or start the server with a larger --max-upload")
}
