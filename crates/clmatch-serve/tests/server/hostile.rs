//! Requests that are malformed, huge, slow or crafted: each gets a readable answer, and the server keeps working.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use clmatch_serve::ServeSettings;
use clmatch_serve::settings::Patience;

use crate::client::{Server, read_answer, small_table};

/// Checks that the server still scores.
#[track_caller]
fn goes_on(server: &Server) {
    assert_eq!(server.post("/api/score?name=x.csv&wait=60", small_table().as_bytes()).status, 200);
}

#[test]
fn broken_files_are_explained() {
    let server = Server::start();
    let bomb = {
        // A gzip member of a few bytes that claims to be a table, cut off.
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff".to_vec()
    };
    for (name, body, says) in [
        ("x.csv", b"x,label\n1,a\n2,b\noops,c\n".to_vec(), "line 4"),
        ("x.csv", b"x,label\n1,a\n2,a\n3,a\n".to_vec(), "class"),
        ("x.csv.gz", bomb, "x.csv.gz"),
        ("x.parquet", b"PAR1 and then nothing".to_vec(), "x.parquet"),
        ("x.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), "Excel"),
        ("x.npy", b"\x93NUMPY\x01\x00\xff\xff{".to_vec(), "x.npy"),
        ("x.json", b"{\"a\": [1, 2".to_vec(), "x.json"),
        ("x.h5ad", b"\x89HDF\r\n\x1a\n".to_vec(), "x.h5ad"),
        ("x.zip", b"PK\x03\x04".to_vec(), "x.zip"),
        ("x.csv", vec![0xff; 4096], "x.csv"),
    ] {
        let answer = server.post(&format!("/api/score?name={name}&wait=60"), &body);
        assert_eq!(answer.status, 422, "{name}: {answer:?}");
        assert!(answer.problem().contains(says), "{name}: {answer:?}");
    }
    let empty = server.post("/api/score?name=x.csv&wait=60", &[]);
    assert_eq!((empty.status, empty.problem().as_str()), (400, "the body is empty"));
    goes_on(&server);
}

#[test]
fn more_classes_than_have_room_in_a_result_are_refused() {
    let server = Server::with(ServeSettings { memory: 80_000_000, ..ServeSettings::default() });
    for (classes, status) in [(300, 200), (600, 422)] {
        let rows: String =
            (0..2 * classes).map(|row| format!("{}.5,c{}\n", row * 7919 % 1009, row / 2)).collect();
        let table = format!("x,label\n{rows}");
        let answer = server.post("/api/score?name=x.csv&measures=ch&wait=60", table.as_bytes());
        assert_eq!(answer.status, status, "{classes}");
        assert!(status == 200 || answer.problem().contains("600 classes form 179700 pairs"), "{answer:?}");
    }
    goes_on(&server);
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let settings = ServeSettings { memory: 200_000_000, ..ServeSettings::default() };
    let server = Server::with(settings);
    // An NPY that claims to have a billion rows.
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 10), }";
    let header = format!("{header:<117}\n");
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend_from_slice(header.as_bytes());
    let answer = server.post("/api/score?name=x.npy&label=0&wait=60", &npy);
    assert!([413, 422].contains(&answer.status), "{answer:?}");
    assert!(answer.json()["help"].is_string(), "{answer:?}");
    // A sparse table whose last column is very far away.
    let answer = server.post("/api/score?name=x.svm&wait=60", b"1 1:1 999999999:1\n2 1:2\n1 1:3\n2 2:1\n");
    assert!([413, 422].contains(&answer.status), "{answer:?}");
    goes_on(&server);
}

#[test]
fn huge_bodies_are_refused_before_and_while_they_come() {
    let server = Server::with(ServeSettings { max_upload: 100_000, ..ServeSettings::default() });
    let answer = server.post("/api/datasets?name=x.csv", &vec![b'1'; 200_000]);
    assert_eq!(answer.status, 413, "{answer:?}");
    assert!(answer.problem().contains("100 kB"), "{answer:?}");
    // A request that does not declare its length.
    let mut stream = server.connect();
    let head = format!(
        "POST /api/datasets?name=x.csv HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..40 {
        let _ = stream.write_all(format!("1000\r\n{}\r\n", "1".repeat(0x1000)).as_bytes());
    }
    let _ = stream.write_all(b"0\r\n\r\n");
    assert_eq!(read_answer(&mut stream).status, 413);
    goes_on(&server);
}

#[test]
fn slow_clients_are_let_go() {
    let patience = Patience {
        head: Duration::from_millis(300),
        piece: Duration::from_millis(300),
        body: Duration::from_millis(900),
        connection: Duration::from_secs(3),
    };
    let server = Server::with(ServeSettings { patience, ..ServeSettings::default() });
    let start = Instant::now();
    // One never ends its head, one stops in its body, one sends a byte now and then, one does not read its answer.
    let mut head = server.connect();
    head.write_all(b"GET / HTTP/1.1\r\nHost: x").unwrap();
    let ask =
        format!("POST /api/datasets HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\n\r\n", server.address);
    let mut stopped = server.connect();
    stopped.write_all(format!("{ask}x,label").as_bytes()).unwrap();
    let mut dripping = server.connect();
    dripping.write_all(ask.as_bytes()).unwrap();
    let mut deaf = server.connect();
    for _ in 0..200 {
        let _ =
            deaf.write_all(format!("GET /catalogue HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes());
    }
    goes_on(&server);
    let drip = std::thread::spawn(move || {
        while start.elapsed() < Duration::from_secs(20) {
            if dripping.write_all(b"x").is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        read_answer(&mut dripping)
    });
    let mut rest = Vec::new();
    let _ = head.read_to_end(&mut rest);
    let answer = read_answer(&mut stopped);
    assert_eq!((answer.status, answer.problem().as_str()), (408, "the body comes too slowly"));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // A request that keeps dripping is refused by the limit for the whole body, or finds the connection closed.
    assert!([0, 408].contains(&drip.join().unwrap().status));
    goes_on(&server);
}

#[test]
fn no_path_of_a_request_reaches_the_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.csv"), "x,label\n1,hidden\n2,hidden\n3,b\n4,b\n").unwrap();
    let path = folder.path().join("secret.csv").display().to_string();
    let server = Server::start();
    let encoded = path.replace('/', "%2F");
    for asked in [
        format!("/api/score?dataset={encoded}&wait=10"),
        format!("/api/rank?datasets={encoded}&wait=10"),
        format!("/api/score?labels={encoded}&dataset=iris"),
        format!("/api/score?labels_file={encoded}&dataset=iris"),
        format!("/api/datasets/{encoded}"),
        "/api/score?dataset=..%2F..%2Fetc%2Fpasswd&wait=10".to_owned(),
    ] {
        let answer = server.post(&asked, &[]);
        assert!([400, 404, 405].contains(&answer.status), "{asked}: {answer:?}");
        assert!(!answer.body.contains("hidden"), "{asked}");
    }
    for asked in [
        "/assets/..%2F..%2FCargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/../../../../etc/passwd",
        "/api/schemas/..%2Fscore.schema.json",
        "/api/schemas/%00",
        "/datasets/%ff%fe",
        "/jobs/99999999999999999999999",
        "/catalogue/..%2f..%2f",
    ] {
        let answer = server.get(asked);
        assert!([400, 404].contains(&answer.status), "{asked}: {answer:?}");
    }
    // An upload with the name of an existing file: the file is not read, the body is.
    let answer = server.post(&format!("/api/score?name={encoded}&wait=60"), small_table().as_bytes());
    assert_eq!((answer.status, answer.json()["points"].as_u64()), (200, Some(40)), "{answer:?}");
    assert!(answer.json()["path"].is_null());
}

#[test]
fn malformed_requests_are_answered_or_closed() {
    let server = Server::start();
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/score HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(read_answer(&mut stream).status != 200);
    }
    let long = format!("/api/score?label={}", "x".repeat(1_000_000));
    let status = server.post(&long, &[]).status;
    assert!([0, 400, 414, 431].contains(&status), "{status}");
    goes_on(&server);
}

#[test]
fn labels_that_are_ids_do_not_hold_a_worker() {
    let server = Server::start();
    let rows: String = (0..2000).map(|row| format!("{},c{}\n", row % 7, row / 2)).collect();
    let table = format!("x,label\n{rows}");
    for kind in ["score", "explain", "report"] {
        let answer = server.post(&format!("/api/{kind}?name=ids.csv&wait=60"), table.as_bytes());
        assert_eq!(answer.status, 422, "{answer:?}");
        assert!(answer.problem().contains("1000 classes form 499500 pairs"), "{answer:?}");
        assert!(answer.json()["help"].as_str().is_some_and(|help| help.contains("ids")), "{answer:?}");
    }
    goes_on(&server);
}

#[test]
fn wide_and_long_lines_do_not_take_the_memory() {
    let server = Server::start();
    let wide = "1,".repeat(2_000_000) + "x\n";
    let long = format!("a,b,label\n1,2,x\n{}\n", "1".repeat(9_000_000));
    for table in [wide, long] {
        let answer = server.post("/api/score?name=x.csv&wait=60", table.as_bytes());
        assert!([413, 422].contains(&answer.status), "{answer:?}");
        assert!(answer.problem().contains("line"), "{answer:?}");
    }
    goes_on(&server);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let server = Server::start();
    let both = server.post("/api/score?dataset=iris&wait=60", small_table().as_bytes());
    assert_eq!(both.status, 400, "{both:?}");
    for chosen in ["", "iris"] {
        let answer = server.post(&format!("/api/stability?datasets={chosen}&wait=60"), &[]);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.problem().contains("at least two are needed"), "{answer:?}");
    }
    // A report has its own script and style, which a page of the site must not have.
    let report = server.post("/api/report?dataset=iris&wait=60", &[]);
    assert_eq!(report.header("content-disposition"), Some("attachment; filename=\"report.html\""));
}
