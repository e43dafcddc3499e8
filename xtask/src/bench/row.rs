//! One line of the table: ours against something, with the bar that was set.

use std::fmt::Write;

use super::contest::Best;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Seconds(f64),
    Bytes(f64),
    Count(usize),
}

impl Amount {
    fn number(self) -> f64 {
        match self {
            Amount::Seconds(number) | Amount::Bytes(number) => number,
            Amount::Count(number) => number as f64,
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Amount::Seconds(seconds) if *seconds < 1.0 => format!("{:.2} ms", seconds * 1e3),
            Amount::Seconds(seconds) => format!("{seconds:.2} s"),
            Amount::Bytes(bytes) => format!("{:.0} MB", bytes / 1e6),
            Amount::Count(count) => count.to_string(),
        };
        formatter.pad(&text)
    }
}

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// The other side's amount is at least so many times ours.
    AtLeast(f64),
    /// Our amount is at most so many times the other's.
    AtMost(f64),
    /// Nothing: for information.
    None,
}

/// One line of the table.
pub struct Row {
    pub workload: String,
    pub ours: Result<Amount, String>,
    pub against: String,
    pub theirs: Result<Amount, String>,
    pub bar: Bar,
}

impl Row {
    /// Two times.
    pub fn times(
        workload: &str,
        ours: &Result<Best, String>,
        against: &str,
        theirs: &Result<Best, String>,
        bar: Bar,
    ) -> Row {
        let seconds = |best: &Result<Best, String>| match best {
            Ok(best) => Ok(Amount::Seconds(best.seconds)),
            Err(why) => Err(why.clone()),
        };
        Row {
            workload: workload.to_owned(),
            ours: seconds(ours),
            against: against.to_owned(),
            theirs: seconds(theirs),
            bar,
        }
    }

    /// How many times the other side's amount is ours, or ours the other's where the bar is a ceiling.
    fn ratio(&self) -> Option<f64> {
        let (ours, theirs) = (self.ours.as_ref().ok()?.number(), self.theirs.as_ref().ok()?.number());
        Some(if let Bar::AtMost(_) = self.bar { ours / theirs } else { theirs / ours })
    }

    /// Whether the bar is met; nothing where there is none or a side is missing.
    pub fn met(&self) -> Option<bool> {
        match (self.bar, self.ratio()) {
            (Bar::None, _) | (_, None) => None,
            (Bar::AtLeast(bar), Some(ratio)) => Some(ratio >= bar),
            (Bar::AtMost(bar), Some(ratio)) => Some(ratio <= bar),
        }
    }

    fn cells(&self) -> [String; 7] {
        let amount = |side: &Result<Amount, String>| match side {
            Ok(amount) => amount.to_string(),
            Err(why) => format!("none: {}", why.replace('|', "/")),
        };
        let bar = match self.bar {
            Bar::AtLeast(bar) => format!("≥ {bar}"),
            Bar::AtMost(bar) => format!("≤ {bar}"),
            Bar::None => "-".to_owned(),
        };
        let met = match (self.bar, self.met()) {
            (Bar::None, _) => "-",
            (_, None) => "not measured",
            (_, Some(true)) => "yes",
            (_, Some(false)) => "no",
        };
        let ratio = self.ratio().map_or_else(|| "-".to_owned(), short);
        let (workload, against) = (self.workload.clone(), self.against.clone());
        [workload, amount(&self.ours), against, amount(&self.theirs), ratio, bar, met.to_owned()]
    }
}

/// Three digits.
pub fn short(number: f64) -> String {
    match number.abs() {
        0.0..0.995 => format!("{number:.3}"),
        0.995..9.995 => format!("{number:.2}"),
        9.995..99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// All rows as a Markdown table with aligned columns.
pub fn table(rows: &[Row]) -> String {
    let head = ["workload", "ours", "against", "theirs", "ratio", "bar", "met"].map(String::from);
    markdown(&head, &rows.iter().map(Row::cells).collect::<Vec<_>>())
}

/// A Markdown table with aligned columns.
pub fn markdown<const N: usize>(head: &[String; N], lines: &[[String; N]]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().chain([head]).map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let rule = widths.map(|width| "-".repeat(width));
    let mut text = String::new();
    for line in [head, &rule].into_iter().chain(lines) {
        for (cell, width) in line.iter().zip(widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, theirs: f64, bar: Bar) -> Row {
        Row {
            workload: "w".to_owned(),
            ours: Ok(Amount::Seconds(ours)),
            against: "p".to_owned(),
            theirs: Ok(Amount::Seconds(theirs)),
            bar,
        }
    }

    #[test]
    fn bars_are_floors_of_speed_or_ceilings_of_cost() {
        assert_eq!(row(1.0, 12.0, Bar::AtLeast(12.0)).met(), Some(true));
        assert_eq!(row(1.0, 11.0, Bar::AtLeast(12.0)).met(), Some(false));
        assert_eq!(row(3.0, 1.0, Bar::AtMost(3.0)).met(), Some(true));
        assert_eq!(row(4.0, 1.0, Bar::AtMost(3.0)).met(), Some(false));
        assert_eq!(row(4.0, 1.0, Bar::None).met(), None);
        let missing = Row { theirs: Err("no wheel".to_owned()), ..row(1.0, 1.0, Bar::AtLeast(1.0)) };
        assert_eq!(missing.met(), None);
        assert!(table(&[missing]).contains("none: no wheel"));
    }
}
