//! Sides that take turns on the same data; the best time of each counts.

use std::time::Duration;

/// Threads of either side unless a job says otherwise.
pub const THREADS: usize = 2;
/// A side that has taken so many seconds gets no further turn.
const BUDGET: f64 = 20.0;
/// A turn is so many runs: short jobs are the noisiest.
const RUNS: usize = 3;
/// Seconds after which a turn ends with the run it is at.
const LONG: f64 = 1.0;
/// Lets threads that spin after their work go to sleep before the other side is timed.
const PAUSE: Duration = Duration::from_millis(200);

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Ours,
    Peer,
}

/// One side of a contest: a request that is timed in turn with the others.
pub struct Side {
    /// What it is called in the rows and in the raw times.
    pub label: String,
    who: Who,
    request: String,
    threads: usize,
}

impl Side {
    /// Evaluates measures on a loaded dataset.
    pub fn ours(data: &str, ids: &str) -> Side {
        let request = format!("run {data} {ids}");
        Side { label: format!("{data}: {ids}"), who: Who::Ours, request, threads: THREADS }
    }

    /// The same, from plain numbers and labels: the validation is timed too.
    pub fn checked(data: &str, ids: &str) -> Side {
        let request = format!("check {data} {ids}");
        Side { label: format!("{data}: {ids}, checked"), who: Who::Ours, request, threads: THREADS }
    }

    /// A job of ours on a loaded dataset.
    pub fn job(data: &str, job: &str, amount: &str) -> Side {
        let request = format!("{job} {data} {amount}");
        Side { label: format!("{data}: {job} {amount}"), who: Who::Ours, request, threads: THREADS }
    }

    /// A limit of the machine: `read DATA`, `fma` or `sqrt`.
    pub fn limit(what: &str) -> Side {
        Side { label: what.to_owned(), who: Who::Ours, request: format!("limit {what}"), threads: THREADS }
    }

    /// A job of another implementation.
    pub fn peer(data: &str, job: &str) -> Side {
        let request = format!("run {data} {job}");
        Side { label: format!("{data}: {job}"), who: Who::Peer, request, threads: THREADS }
    }

    /// A process that the peers' side starts and times, ours or another.
    pub fn process(label: &str, request: &str) -> Side {
        Side { label: label.to_owned(), who: Who::Peer, request: request.to_owned(), threads: THREADS }
    }

    /// On one thread only.
    #[must_use]
    pub fn on_one_thread(self) -> Side {
        Side { label: format!("{}, 1 thread", self.label), threads: 1, ..self }
    }
}

/// The best of a side's turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    pub seconds: f64,
    /// What was computed: `(measure, value)`; peers have one value without a name.
    pub values: Vec<(String, f64)>,
}

impl Best {
    /// The value of a measure, or the only value there is.
    pub fn value(&self, id: &str) -> Option<f64> {
        let named = self.values.iter().find(|(name, _)| name == id);
        let only = self.values.first().filter(|(name, _)| name.is_empty());
        named.or(only).map(|&(_, value)| value)
    }
}

/// One turn, for the raw times.
pub struct Turn {
    pub side: String,
    pub threads: usize,
    pub round: usize,
    pub seconds: f64,
}

/// The bests of all sides, in the order of the sides; an error says why there is none.
pub type Bests = Vec<Result<Best, String>>;

/// Lets the sides take turns.
pub fn contest(
    sides: &[Side],
    rounds: usize,
    turns: &mut Vec<Turn>,
    mut ask: impl FnMut(Who, &str) -> Result<String, String>,
) -> Result<Bests, String> {
    let mut bests: Bests = sides.iter().map(|_| Err("not run".to_owned())).collect();
    let mut spent = vec![0.0; sides.len()];
    for round in 0..rounds {
        for (index, side) in sides.iter().enumerate() {
            let failed = round > 0 && bests[index].is_err();
            if failed || spent[index] > BUDGET {
                continue;
            }
            if side.who == Who::Ours {
                ask(Who::Ours, &format!("threads {}", side.threads))?;
            }
            std::thread::sleep(PAUSE);
            spent[index] += turn(side, round, &mut bests[index], turns, &mut ask);
            if round == 0 {
                match &bests[index] {
                    Ok(best) => println!("  {}: {:.3e} s", side.label, best.seconds),
                    Err(why) => println!("  {}: {why}", side.label),
                }
            }
        }
    }
    Ok(bests)
}

/// Lets one side run a few times; returns the seconds that this took.
fn turn(
    side: &Side,
    round: usize,
    best: &mut Result<Best, String>,
    turns: &mut Vec<Turn>,
    ask: &mut impl FnMut(Who, &str) -> Result<String, String>,
) -> f64 {
    let mut taken = 0.0;
    for _ in 0..RUNS {
        let run = ask(side.who, &side.request).and_then(|answer| parse(&answer));
        let seconds = run.as_ref().ok().map(|run| run.seconds);
        *best = better(best.clone(), run);
        let Some(seconds) = seconds else { break };
        taken += seconds;
        turns.push(Turn { side: side.label.clone(), threads: side.threads, round, seconds });
        if taken > LONG {
            break;
        }
    }
    taken
}

fn better(before: Result<Best, String>, now: Result<Best, String>) -> Result<Best, String> {
    match (before, now) {
        (Ok(before), Ok(now)) if before.seconds < now.seconds => Ok(before),
        (Ok(before), Err(_)) => Ok(before),
        (_, now) => now,
    }
}

/// Reads `SECONDS id=value ...` or `SECONDS value`.
fn parse(answer: &str) -> Result<Best, String> {
    let wrong = || format!("cannot understand: {answer}");
    let mut words = answer.split_whitespace();
    let seconds = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    let values = words.map(|word| {
        let (name, value) = word.split_once('=').unwrap_or(("", word));
        value.parse().map(|value| (name.to_owned(), value)).map_err(|_| wrong())
    });
    Ok(Best { seconds, values: values.collect::<Result<_, _>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        let ours = parse("0.25 ch_a=0.5 di=inf").unwrap();
        assert_eq!(
            (ours.seconds, ours.value("ch_a"), ours.value("di")),
            (0.25, Some(0.5), Some(f64::INFINITY))
        );
        assert_eq!(ours.value("sc"), None);
        assert_eq!(parse("1e-3 0.75").unwrap().value("sc"), Some(0.75));
        assert!(parse("").is_err() && parse("1 ch=x").is_err());
    }

    #[test]
    fn the_best_turn_counts_and_failures_are_kept() {
        let mut turns = Vec::new();
        let mut times = ["3", "1.5", "2"].into_iter();
        let sides = [Side::ours("a", "ch"), Side::peer("a", "x.ch")];
        let bests = contest(&sides, 3, &mut turns, |who, request| match (who, request) {
            (Who::Ours, "threads 2") => Ok(String::new()),
            (Who::Ours, "run a ch") => Ok(times.next().unwrap().to_owned()),
            _ => Err("missing".to_owned()),
        })
        .unwrap();
        assert_eq!(bests[0].as_ref().unwrap().seconds, 1.5);
        assert_eq!(bests[1], Err("missing".to_owned()));
        assert_eq!(turns.len(), 3);
    }
}
