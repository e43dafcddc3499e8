//! `clmatch watch`: windows of growing data, and an alarm where the score differs from the reference.

use std::fmt::Write as _;
use std::io::Write as _;

use crate::folder::{Folder, Ran, json};

/// Rows of two classes whose centres lie `apart`.
fn rows(from: usize, count: usize, apart: f64) -> String {
    let mut text = String::new();
    for row in from..from + count {
        let noise = |salt: usize| ((row * 7919 + salt * 104_729 + 13) % 10_007) as f64 / 10_007.0;
        let shift = if row % 2 == 0 { 0.0 } else { apart };
        let _ = writeln!(text, "{},{},{}", noise(1) + shift, noise(2), ["a", "b"][row % 2]);
    }
    text
}

fn table(parts: &[(usize, f64)]) -> String {
    let mut text = "x,y,class\n".to_owned();
    let mut from = 0;
    for &(count, apart) in parts {
        text += &rows(from, count, apart);
        from += count;
    }
    text
}

#[test]
fn windows_are_told_one_by_one_and_a_fall_is_an_alarm() {
    let folder = Folder::with("log.csv", table(&[(600, 3.0), (200, 0.2), (230, 3.0)]));
    let ran = folder.run("watch log.csv --once --window 200 --by ch_a");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", ran.out);
    assert!(
        lines[0].starts_with("window 1, rows 1 to 200, 2 classes: ch_a ") && lines[0].ends_with("reference")
    );
    for line in [lines[1], lines[2], lines[4]] {
        assert!(line.ends_with("ok"), "{line}");
    }
    assert!(lines[3].starts_with("window 4, rows 601 to 800") && lines[3].ends_with("ALARM"), "{}", lines[3]);
    assert!(ran.err.contains("alarm: window 4 (200 rows) scores ch_a"), "{}", ran.err);
    assert!(ran.err.contains("note: the last 30 rows made no whole window"), "{}", ran.err);
    let failed = folder.run("watch log.csv --once --window 200 --by ch_a --fail-on-alarm");
    assert_eq!((failed.code, failed.out.lines().count()), (1, 4), "{}", failed.err);
}

#[test]
fn windows_as_lines_of_json() {
    let folder = Folder::with("log.csv", table(&[(400, 3.0), (200, 0.2)]));
    let ran = folder.run("watch log.csv --once --window 200 --reference 2 --format json --by clm --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let windows: Vec<serde_json::Value> = ran.out.lines().map(json).collect();
    let of = |name: &str| windows.iter().map(|window| window[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("schema"), ["clmatch/watch/2"; 3]);
    assert_eq!(of("is_reference"), [true, true, false]);
    assert_eq!(of("alarm"), [false, false, true]);
    assert_eq!(of("first_row"), [1, 201, 401]);
    assert!(windows[0].get("reference").is_none(), "not known yet");
    let (low, high) = (&windows[1]["reference"]["low"], &windows[1]["reference"]["high"]);
    let score = |at: usize, name: &str| windows[at]["score"][name].as_f64().unwrap();
    assert_eq!(low.as_f64().unwrap(), score(0, "low").min(score(1, "low")));
    assert_eq!(high.as_f64().unwrap(), score(0, "high").max(score(1, "high")));
    assert!(score(2, "high") < low.as_f64().unwrap());
    // The score of a window is that of its rows alone.
    let alone =
        Folder::with("alone.csv", table(&[(200, 3.0)])).json("score alone.csv --measures clm --format json");
    assert_eq!(score(0, "value"), alone["scores"]["clm"].as_f64().unwrap());
}

#[test]
fn a_reference_can_be_given_and_a_window_without_score_says_why() {
    let mut text = table(&[(200, 3.0)]);
    (0..200).for_each(|row| {
        let _ = writeln!(text, "{row}.5,1.25,a");
    });
    let folder = Folder::with("log.csv", text);
    let ran = folder.run("watch log.csv --once --window 200 --between 0..0.1 --by ch_a --format json");
    let windows: Vec<serde_json::Value> = ran.out.lines().map(json).collect();
    assert_eq!((&windows[0]["alarm"], &windows[1]["alarm"]), (&true.into(), &true.into()));
    assert_eq!(
        (&windows[0]["cause"]["kind"], &windows[1]["cause"]["kind"]),
        (&"score".into(), &"no-score".into())
    );
    assert!(windows[1]["problem"].as_str().unwrap().contains("'a'"), "{}", windows[1]);
    assert!(windows[1].get("score").is_none() && windows[1]["classes"] == 1);
}

/// Rows of Gaussian classes whose centres lie `apart`; `noise` is the state of the random numbers.
fn gaussian_rows(count: usize, apart: f64, noise: &mut u64) -> String {
    let mut uniform = || {
        *noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*noise >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut text = String::new();
    for row in 0..count {
        let [x, y] = [0, 1].map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0);
        let shift = if row % 2 == 0 { 0.0 } else { apart };
        let _ = writeln!(text, "{:.6},{y:.6},{}", x + shift, ["a", "b"][row % 2]);
    }
    text
}

#[test]
fn nothing_changes_and_no_alarm_is_raised_and_total_drift_raises_one() {
    for (apart, window) in [(6.0, 100), (6.5, 200), (0.0, 100)] {
        let mut noise = 1;
        let still: String = (0..20).map(|_| gaussian_rows(window, apart, &mut noise)).collect();
        let folder = Folder::with("log.csv", format!("x,y,class\n{still}"));
        let ran = folder.run(&format!("watch log.csv --once --window {window}"));
        let alarms = ran.out.lines().filter(|line| line.ends_with("ALARM")).count();
        assert_eq!((ran.out.lines().count(), alarms), (20, 0), "{apart}\n{}", ran.out);
        if apart > 0.0 {
            let fallen = gaussian_rows(window, 0.0, &mut noise);
            let folder = Folder::with("log.csv", format!("x,y,class\n{still}{fallen}"));
            let ran = folder.run(&format!("watch log.csv --once --window {window} --fail-on-alarm"));
            assert_eq!((ran.code, ran.out.lines().count()), (1, 21), "{apart}\n{}", ran.out);
        }
    }
}

#[test]
fn a_class_that_vanishes_is_an_alarm_and_windows_without_any_reference_fail() {
    let mut text = table(&[(400, 3.0)]);
    (0..200).for_each(|row| {
        let _ = writeln!(text, "{row}.5,1.25,a");
    });
    let folder = Folder::with("log.csv", text);
    let ran = folder.run("watch log.csv --once --window 200 --fail-on-alarm");
    assert_eq!((ran.code, ran.out.lines().count()), (1, 3), "{}{}", ran.out, ran.err);
    let said =
        "alarm: window 3 (200 rows): the class 'b' has 0 of 200 rows, and had 100 of 200 in the reference";
    assert!(ran.err.contains(said), "{}", ran.err);
    let mut text = "x,y,class\n".to_owned();
    (0..200).for_each(|row| {
        let _ = writeln!(text, "{row}.5,1.25,{}", if row < 199 { "a" } else { "b" });
    });
    let folder = Folder::with("log.csv", text);
    let ran = folder.run("watch log.csv --once --window 100 --fail-on-alarm");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("no window could be compared"), "{}", ran.err);
    assert_eq!(folder.run("watch log.csv --once --window 100").code, 0);
}

#[test]
fn a_rare_class_neither_hides_a_fall_nor_raises_an_alarm() {
    let rare = |row: usize| format!("{}.5,9.5,rare\n", row % 7);
    // A class that occurs in some windows only; in the last window the others coincide.
    let mut text = "x,y,class\n".to_owned();
    for window in 0..8 {
        let few = [6, 0, 5, 1, 2, 0, 7, 3][window];
        text += &rows(window * 200, 200 - few, if window < 7 { 3.0 } else { 0.0 });
        (0..few).for_each(|row| text += &rare(row));
    }
    let folder = Folder::with("log.csv", text);
    let ran = folder.run("watch log.csv --once --window 200 --by ch_a");
    let lines: Vec<&str> = ran.out.lines().collect();
    for line in &lines[1..7] {
        assert!(line.ends_with("ok"), "{}", ran.out);
    }
    assert!(lines[3].contains("without rare: ch_a") && lines[7].ends_with("ALARM"), "{}", ran.out);
    // Fewer rows than a window has.
    let folder = Folder::with("log.csv", table(&[(120, 3.0)]));
    let ran = folder.run("watch log.csv --once --window 200 --fail-on-alarm");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
}

/// A rare class that is missing by chance does not raise an alarm, and many classes with few rows each cannot be compared.
#[test]
fn windows_that_chance_leaves_too_little_of_are_not_compared() {
    // Four rows of the rare class in the first window, two and none in the others.
    let text = |counts: &[usize]| {
        let mut text = "x,y,class\n".to_owned();
        for (window, &rare) in counts.iter().enumerate() {
            for row in 0..100 {
                let noise = ((window * 100 + row) * 7919 % 1009) as f64 / 1009.0;
                let (shift, class) = if row < rare { (9.0, "rare") } else { (0.0, "usual") };
                let _ = writeln!(text, "{},{noise},{class}", shift + noise * 0.7);
            }
        }
        text
    };
    let folder = Folder::with("log.csv", text(&[4, 2, 0, 5]));
    let ran = folder.run("watch log.csv --once --window 100 --format json --fail-on-alarm");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let windows: Vec<serde_json::Value> = ran.out.lines().map(json).collect();
    assert_eq!(windows.len(), 4);
    assert!(windows.iter().all(|window| window["alarm"] == false), "{}", ran.out);
    let compared: Vec<bool> = windows.iter().map(|window| window.get("not_compared").is_none()).collect();
    assert_eq!(compared, [true, false, false, true]);
    // 50 classes with two rows each, except for three in every window.
    let mut many = "x,y,class\n".to_owned();
    for row in 0..400 {
        let class = if row % 10 < 2 { row / 100 * 3 + row % 3 } else { row * 7 % 40 + 12 };
        let _ = writeln!(many, "{},{},c{class}", class * 9, row * 31 % 17);
    }
    let folder = Folder::with("log.csv", many);
    let ran = folder.run("watch log.csv --once --window 100 --fail-on-alarm");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("not compared: ") && ran.out.contains("windows must be larger"), "{}", ran.out);
    assert!(ran.out.contains("without ") && ran.out.lines().all(|line| line.len() < 250), "{}", ran.out);
}

#[test]
fn a_growing_file_is_followed_until_an_alarm() {
    let folder = Folder::with("log.csv", table(&[(250, 3.0)]));
    let child = folder.start("watch log.csv --window 200 --by ch_a --fail-on-alarm");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let mut file = std::fs::OpenOptions::new().append(true).open(folder.path("log.csv")).unwrap();
    file.write_all(rows(250, 150, 3.0).as_bytes()).unwrap();
    file.write_all(rows(400, 200, 0.2).as_bytes()).unwrap();
    let ran = Ran::once_ended(child);
    assert_eq!((ran.code, ran.out.lines().count()), (1, 3), "{}{}", ran.out, ran.err);
}

#[test]
fn standard_input_is_watched_to_its_end() {
    let folder = Folder::new();
    let mut command = folder.command();
    let words = "watch - --window 100 --by ch_a".split(' ');
    let ran = Ran::of(command.args(words).write_stdin(table(&[(300, 3.0)])).output().unwrap());
    assert_eq!((ran.code, ran.out.lines().count()), (0, 3), "{}{}", ran.out, ran.err);
    let mut command = folder.command();
    let words = "watch - --seconds 0.2 --by ch_a".split(' ');
    let ran = Ran::of(command.args(words).write_stdin(table(&[(300, 3.0)])).output().unwrap());
    assert!(ran.code == 0 && ran.out.lines().count() >= 1, "{}{}", ran.out, ran.err);
    let rows: usize = ran
        .out
        .lines()
        .map(|line| {
            let mut numbers = line.split([' ', ',']).filter_map(|word| word.parse::<usize>().ok());
            let (_, from, to) = (numbers.next(), numbers.next().unwrap(), numbers.next().unwrap());
            to + 1 - from
        })
        .sum();
    assert_eq!(rows, 300);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_watch() {
    let folder = Folder::with("log.csv", table(&[(250, 3.0)]));
    let started = std::time::Instant::now();
    let ran = folder.interrupted("watch log.csv --window 200 --by ch_a", || started.elapsed().as_secs() >= 1);
    assert_eq!((ran.code, ran.out.lines().count()), (130, 1), "{}{}", ran.out, ran.err);
}
