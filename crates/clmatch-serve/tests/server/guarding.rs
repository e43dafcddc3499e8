//! Which requests are answered, and the headers of every answer.

use clmatch_serve::ServeSettings;

use crate::client::Server;

#[test]
fn only_the_names_of_this_computer_are_answered_for() {
    let server = Server::start();
    let port = server.address.port();
    for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        assert_eq!(server.ask("GET", "/", &[&format!("Host: {host}:{port}")], &[]).status, 200, "{host}");
    }
    // Names that an attacker could make the browser resolve to this computer.
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost", "127.0.0.1:1", "", "127.0.0.1 :80"] {
        let answer = server.ask("GET", "/", &[&format!("Host: {host}")], &[]);
        assert!([400, 421].contains(&answer.status), "{host}: {answer:?}");
    }
    let twice = server.ask("GET", "/", &[&format!("Host: localhost:{port}"), "Host: evil.example"], &[]);
    assert_eq!(twice.status, 400);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = Server::start();
    let own = format!("Origin: http://{}", server.address);
    assert_eq!(server.ask("POST", "/api/pick?wait=0", &[&own], &[]).status, 202);
    for line in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
    ] {
        for (method, path) in [("POST", "/api/pick"), ("GET", "/api/jobs"), ("DELETE", "/api/jobs/1")] {
            let answer = server.ask(method, path, &[line], &[]);
            assert_eq!(answer.status, 403, "{line}: {answer:?}");
            assert_eq!(answer.problem(), "requests of other sites are not answered");
        }
    }
    // A link may lead here.
    let link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
    assert_eq!(server.ask("GET", "/", &link, &[]).status, 200);
}

#[test]
fn every_answer_has_the_strict_headers() {
    let server = Server::start();
    for path in ["/", "/api/jobs", "/nothing", "/assets/site.js", "/api/nothing", "/jobs/x"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{path}");
    }
}

#[test]
fn with_a_token_nothing_is_answered_without_it() {
    let token = clmatch_serve::new_token().unwrap();
    assert_ne!(token, clmatch_serve::new_token().unwrap());
    let server = Server::with(ServeSettings { token: Some(token.clone()), ..ServeSettings::default() });
    for (path, lines) in [
        ("/", vec![]),
        ("/api/jobs", vec!["Authorization: Bearer wrong".to_owned()]),
        ("/?token=wrong", vec![]),
        ("/assets/page.css", vec!["Cookie: clmatch_token=wrong".to_owned()]),
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let answer = server.ask("GET", path, &lines, &[]);
        assert_eq!(answer.status, 401, "{path}");
        assert_eq!(answer.header("www-authenticate"), Some("bearer"));
        // The API answers in its own format, and people get words.
        let kind = if path.starts_with("/api/") { "application/json" } else { "text/plain; charset=utf-8" };
        assert_eq!(answer.header("content-type"), Some(kind), "{path}");
        assert!(answer.body.contains("asks for a token") && !answer.body.contains(&token));
    }
    let bearer = format!("Authorization: Bearer {token}");
    // With a token, other host names are accepted: whoever has it may come from anywhere.
    assert_eq!(server.ask("GET", "/api/jobs", &["Host: my-computer:80", &bearer], &[]).status, 200);
    let sent_on = server.get(&format!("/catalogue?token={token}"));
    assert_eq!((sent_on.status, sent_on.header("location")), (303, Some("/catalogue")));
    let cookie = sent_on.header("set-cookie").unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let cookie = format!("Cookie: other=1; clmatch_token={token}");
    assert_eq!(server.ask("GET", "/catalogue", &[&cookie], &[]).status, 200);
    let elsewhere = server.ask("GET", "/catalogue", &[&cookie, "Origin: http://evil.example"], &[]);
    assert_eq!(elsewhere.status, 403);
}
