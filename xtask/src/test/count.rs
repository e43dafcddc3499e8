//! Counts how many tests passed, failed and were skipped, and how long each part took.

use std::sync::Mutex;
use std::time::Instant;

/// The counts of all parts, which may run side by side.
#[derive(Default)]
pub struct Counts(Mutex<TestCounts>);

#[derive(Default)]
struct TestCounts {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Parts with failures.
    broken: Vec<String>,
    /// How many seconds each part took, in the order in which they ended.
    times: Vec<(String, u64)>,
}

impl Counts {
    pub fn add(&self, passed: usize, failed: usize, skipped: usize) {
        let mut all = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.passed += passed;
        all.failed += failed;
        all.skipped += skipped;
    }

    /// Counts something as one test.
    pub fn one(&self, name: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.add(1, 0, 0),
            Err(error) => {
                eprintln!("{name}: {error}");
                self.add(0, 1, 0);
                self.broke(name);
            }
        }
    }

    /// Records a part with failures: what it printed about them scrolls away.
    pub fn broke(&self, name: &str) {
        let mut all = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.broken.push(name.to_owned());
    }

    /// Records something that was not done, and why.
    pub fn skipped(&self, why: &str) {
        println!("skipped: {why}");
        self.add(0, 0, 1);
    }

    /// Records how long something took.
    pub fn timed<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let outcome = work();
        let seconds = start.elapsed().as_secs();
        println!("{what} took {seconds} s");
        let mut all = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.times.push((what.to_owned(), seconds));
        outcome
    }

    /// Prints the lines at the end.
    pub fn conclude(self) -> Result<(), String> {
        let TestCounts { passed, failed, skipped, broken, times } =
            self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        println!("\nseconds:");
        times.iter().for_each(|(what, seconds)| println!("{seconds:>6}  {what}"));
        println!("\ntests: {passed} passed, {failed} failed, {skipped} skipped");
        if failed > 0 { Err(format!("{failed} tests failed, in: {}", broken.join(", "))) } else { Ok(()) }
    }
}

/// The number before a word with this prefix: `3` in `3 passed; 0 failed`.
pub fn number_before(line: &str, word: &str) -> usize {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|found| found.starts_with(word));
    at.and_then(|at| words.get(at.checked_sub(1)?)).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_understood() {
        let rust =
            "test result: ok. 20 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.10s";
        assert_eq!(["passed", "failed", "ignored"].map(|word| number_before(rust, word)), [20, 1, 2]);
        let python = "2 failed, 31 passed, 4 skipped in 2.31s";
        assert_eq!(
            ["passed", "failed", "skipped", "error"].map(|word| number_before(python, word)),
            [31, 2, 4, 0]
        );
    }

    #[test]
    fn a_failure_anywhere_is_a_failure() {
        let counts = Counts::default();
        counts.one("good", Ok(()));
        counts.skipped("there is no moon");
        assert_eq!(Counts::default().conclude(), Ok(()));
        counts.one("bad", Err("it broke".to_owned()));
        assert_eq!(counts.conclude(), Err("1 tests failed, in: bad".to_owned()));
    }
}
