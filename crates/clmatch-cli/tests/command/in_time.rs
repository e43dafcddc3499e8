//! Limits of time: estimates instead of errors, and an end soon after Ctrl-C.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, Ran};

/// Two classes that overlap, too many points to be compared in a moment.
fn large() -> Folder {
    let row =
        |row: u64| format!("{},{},{}\n", row * 7919 % 1013 + 400 * (row % 2), row * 104_729 % 499, row % 2);
    Folder::with("large.csv", format!("x,y,label\n{}", (0..24_000).map(row).collect::<String>()))
}

#[test]
fn a_limit_gives_an_estimate_of_every_default_measure() {
    let folder = large();
    let ran = folder.run("score large.csv --limit-seconds 0.01 --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    for id in ["clm", "ch_a", "xb_a", "db_a", "sc_a"] {
        assert!(json["scores"][id].is_number(), "{id}: {}", json["scores"]);
    }
    let approximate = &json["approximate"];
    let sampled = approximate["sampled"].as_u64().unwrap();
    assert!((1000..12_000).contains(&sampled), "{approximate}");
    assert_eq!(approximate["errors"]["ch_a"], 0.0);
    assert!(approximate["errors"]["sc_a"].as_f64().unwrap() > 0.0, "{approximate}");
    // Of fewer than an eighth of the points, no error of clm can be stated, and none is.
    assert!(
        approximate["errors"].get("clm").is_none_or(|error| error.as_f64().unwrap() > 0.0),
        "{approximate}"
    );

    let table = folder.out("score large.csv --limit-seconds 0.01 --measures clm,ch_a --quiet");
    assert!(table.contains("\nestimated from "), "{table}");
}

#[test]
fn what_cannot_be_estimated_in_time_is_left_out() {
    let folder = large();
    let ran = folder.run("score large.csv --limit-seconds 0.01 --measures di,ch_a --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(json["scores"].get("di").is_none() && json["scores"]["ch_a"].is_number(), "{}", json["scores"]);
    let line = ran.err.replace("\n  ", " ");
    assert!(line.contains("note: di is left out: only all points determine di"), "{line}");
    assert!(line.contains("--limit-seconds"), "{line}");

    let nothing = folder.run("score large.csv --limit-seconds 0.01 --measures di");
    assert_eq!(nothing.code, 3);
    assert!(nothing.err.contains("the time was over before it was done"), "{}", nothing.err);
    let ranked = folder.run("rank large.csv --limit-seconds 0.01 --measures di,ch_a --by di");
    assert_eq!(ranked.code, 3, "the measure that decides is missing: {}", ranked.out);
}

#[test]
fn a_limit_that_is_long_enough_changes_nothing() {
    let folder = Folder::with("two.csv", crate::folder::TWO);
    let limited = folder.json("score two.csv --measures all --limit-seconds 600 --format json");
    let exact = folder.json("score two.csv --measures all --format json");
    assert_eq!(limited["scores"], exact["scores"]);
    assert!(limited.get("approximate").is_none());
}

/// Standard input that never ends cannot be stopped between two checks.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_reading() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_clmatch"))
        .args(["score", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Held, so that reading does not end.
    let _input = child.stdin.take();
    let pid = child.id();
    // Until the process catches SIGINT, the signal would end it at once.
    let status = || std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = || {
        let mask =
            status().lines().find_map(|line| line.strip_prefix("SigCgt:").map(str::trim).map(str::to_owned));
        mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
    };
    let start = Instant::now();
    while !caught() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
    assert!(kill.success());
    let ran = Ran::once_ended(child);
    assert_eq!((ran.code, ran.err.trim()), (130, "error: stopped"));
}
