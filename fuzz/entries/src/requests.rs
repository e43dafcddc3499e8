//! Requests to the web application, answered without a network.
//!
//! An input is one or several requests, as text: the method and the address, a line for each header, an empty line, the body. A
//! line that consists of `====` ends a request, so that an upload can be followed by a question about it.

use std::time::Duration;

use clmatch_serve::{InProcess, ServeSettings};

/// What separates requests.
const NEXT: &[u8] = b"\n====\n";
/// The largest number of requests in an input.
const MOST: usize = 8;

/// Small limits: an input that requests much is refused or stopped, as a large one would be by the usual limits.
fn settings() -> ServeSettings {
    ServeSettings {
        max_upload: 1 << 15,
        time_limit: Duration::from_millis(300),
        queue: 4,
        workers: 1,
        memory: 32 << 20,
        ..ServeSettings::default()
    }
}

/// Answers the requests, each with the state that the earlier ones left behind.
pub(crate) fn answer(bytes: &[u8]) {
    // If no thread can be started, that is a fault of the machine.
    let Ok(application) = InProcess::start(settings()) else { return };
    for request in split(bytes, NEXT).into_iter().take(MOST) {
        ask(&application, request);
    }
}

fn ask(application: &InProcess, request: &[u8]) {
    let mut rest = request;
    let mut line = || {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        line
    };
    let first = String::from_utf8_lossy(line()).into_owned();
    let (method, address) = first.split_once(' ').unwrap_or(("GET", &first));
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    loop {
        match line() {
            [] => break,
            header => {
                let at = header.iter().position(|&byte| byte == b':').unwrap_or(header.len());
                let value = header.get(at + 1..).unwrap_or_default().trim_ascii().to_vec();
                headers.push((String::from_utf8_lossy(&header[..at]).into_owned(), value));
            }
        }
    }
    let headers: Vec<(&str, &[u8])> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    let answer = application.answer(method, address, &headers, rest);
    let defect = answer.as_ref().is_some_and(|answer| answer.status == 500);
    assert!(!defect, "a defect of the server: {}", String::from_utf8_lossy(&answer.unwrap_or_default().body));
}

/// The pieces between separators.
fn split<'a>(bytes: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let (mut pieces, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.windows(separator.len()).position(|window| window == separator) {
        pieces.push(&rest[..at]);
        rest = &rest[at + separator.len()..];
    }
    pieces.push(rest);
    pieces
}

/// Requests that are answered.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let table = "x,y,class\n0,1,a\n0,2,a\n1,1,a\n5,5,b\n5,6,b\n6,5,b\n";
    [
        "GET /\n\n".to_owned(),
        "GET /datasets/iris\nAccept: text/html\n\n".to_owned(),
        "GET /api/openapi.json\n\n".to_owned(),
        "GET /api/schemas/score.schema.json\n\n".to_owned(),
        "GET /api/catalogue?by=clm&top=3&top_third=true&measures=clm,ch_a\n\n".to_owned(),
        format!("POST /api/score?name=x.csv&wait=1&measures=ch_a&seed=7\nContent-Type: text/csv\n\n{table}"),
        format!("POST /api/explain?name=x.csv&wait=1&label=class&scale=standard\n\n{table}"),
        format!(
            "POST /api/datasets?name=x.csv\n\n{table}\n====\nGET /api/datasets/upload-1\n\n\n====\nPOST \
             /api/score?dataset=upload-1&wait=1&noise=a\n\n\n====\nGET /api/jobs/1/result\n\n\n====\nDELETE /api/jobs/1\n\n"
        ),
        "POST /api/rank?datasets=iris,wine&wait=1&by=ch_a&measures=ch_a\n\n".to_owned(),
        "GET /jobs/1\nHost: localhost:80\nOrigin: http://localhost:80\n\n".to_owned(),
    ]
    .map(String::into_bytes)
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_taken_apart() {
        assert_eq!(split(b"a\n====\nb\n====\n", NEXT), [&b"a"[..], b"b", b""]);
        seeds().iter().for_each(|seed| answer(seed));
    }
}
