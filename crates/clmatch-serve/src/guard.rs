//! Decides which requests are answered at all, and sets the headers of every answer.
//!
//! If only this computer can connect, there is no token, so pages of other sites must be kept from reaching the server: their
//! `Origin` differs, and a name that they make the browser resolve to 127.0.0.1 (DNS rebinding) differs from the names of this
//! computer. On other addresses a token is required instead: as a bearer token, or once in an address, which sets a cookie.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::ApiProblem;

/// Only files of this server are loaded, nothing is embedded elsewhere, and no inline code of a page runs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The name of the cookie.
const COOKIE: &str = "clmatch_token";

/// Who may send requests.
#[derive(Debug, Clone)]
pub(crate) struct RequestGuard {
    /// The accepted values of `Host`; `None` for any, if a token is required.
    hosts: Option<Vec<String>>,
    token: Option<String>,
}

impl RequestGuard {
    pub(crate) fn new(address: SocketAddr, token: Option<String>) -> Self {
        let port = address.port();
        let mut hosts =
            vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        hosts.push(address.to_string());
        if port == 80 {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(String::from));
        }
        RequestGuard { hosts: token.is_none().then_some(hosts), token }
    }

    /// The answer to a request that is refused; `None` if it is accepted.
    fn refusal(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let refuse = |status, what: &str| refused(request, &ApiProblem::new(status, what));
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) {
            (Some(host), None) => host,
            _ => return Some(refuse(StatusCode::BAD_REQUEST, "a request needs one Host")),
        };
        if self.hosts.as_ref().is_some_and(|known| !known.iter().any(|own| own.eq_ignore_ascii_case(host))) {
            return Some(refuse(
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not answer for that Host",
            ));
        }
        if !same_origin(headers, host) {
            return Some(refuse(StatusCode::FORBIDDEN, "requests of other sites are not answered"));
        }
        self.token.as_ref().and_then(|token| without_token(token, request))
    }
}

/// Whether a request comes from a page of this server, or not from a page at all.
fn same_origin(headers: &HeaderMap, host: &str) -> bool {
    let own = |origin: &HeaderValue| {
        origin.to_str().is_ok_and(|origin| origin.eq_ignore_ascii_case(&format!("http://{host}")))
    };
    let fetched = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let navigated = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let from_here = match fetched {
        None | Some("same-origin" | "none") => true,
        // A link on another site may lead here: following it changes nothing.
        Some(_) => navigated,
    };
    headers.get(header::ORIGIN).is_none_or(own) && from_here
}

/// Returns `None` for a request with the token. A request with the token in its address is redirected to the address without it,
/// and gets a cookie instead.
fn without_token(token: &str, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
    let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut kept = cookies.flat_map(|value| value.split("; ")).filter_map(|cookie| cookie.split_once('='));
    let kept = kept.find(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    if [bearer, kept].into_iter().flatten().any(|given| is_same(token, given)) {
        return None;
    }
    let query = request.uri().query().unwrap_or_default();
    let given = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token");
    match given {
        Some((_, given)) if request.method() == Method::GET && is_same(token, &given) => {
            Some(sent_on(token, request.uri()))
        }
        _ => {
            let problem = ApiProblem::new(StatusCode::UNAUTHORIZED, "this server asks for a token").help(
                "open the address that the server printed when it started, or send the token as a bearer",
            );
            let mut response = refused(request, &problem);
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Some(response)
        }
    }
}

/// A refusal in the format of the API, or in plain words for people. It also applies to the files that a page consists of.
fn refused(request: &Request, problem: &ApiProblem) -> Response {
    if request.uri().path().starts_with("/api/") {
        return problem.clone().into_response();
    }
    let help = problem.help.as_ref().map(|help| format!("{help}\n")).unwrap_or_default();
    problem.respond_with("text/plain; charset=utf-8", format!("{}\n{help}", problem.error))
}

fn sent_on(token: &str, uri: &Uri) -> Response {
    let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
    let to = HeaderValue::from_str(uri.path()).unwrap_or(HeaderValue::from_static("/"));
    let mut response = StatusCode::SEE_OTHER.into_response();
    response.headers_mut().insert(header::LOCATION, to);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// A token that cannot be guessed, in characters that an address may hold.
///
/// # Errors
/// The system cannot provide random numbers.
pub fn new_token() -> std::io::Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that does not reveal where the texts differ.
fn is_same(token: &str, given: &str) -> bool {
    let differences = token.bytes().zip(given.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    token.len() == given.len() && differences == 0
}

/// Checks a request, and adds the headers of every answer.
pub(crate) async fn watch(State(guard): State<RequestGuard>, request: Request, next: Next) -> Response {
    let mut response = match guard.refusal(&request) {
        None => next.run(request).await,
        Some(refused) => refused,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in
        [("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin")]
    {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Results belong to those who requested them, and assets change with the version.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_as_a_whole() {
        assert!(is_same("abc", "abc"));
        assert!(["", "ab", "abcd", "abd", "ABC"].iter().all(|other| !is_same("abc", other)));
    }
}
