//! The paper's claims, beside what both readings of it find.
//!
//! An experiment writes its claims to a separate table for each reading. A page shows both tables as one, so that it does
//! not matter which reading ran last.

use clmatch_render::{csv, markdown};
use clmatch_truth::results::{Sheet, TableError};

/// A sentence or a number of the paper, and what one reading found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What the paper says, in the same words for both readings.
    pub what: String,
    /// The paper's number, or how firmly the paper says so.
    pub paper: String,
    /// What was found.
    pub found: String,
    /// Whether the finding agrees with the paper.
    pub holds: bool,
    /// Whether the first page shows the claim; single numbers of tables are only counted there.
    pub headline: bool,
}

impl Claim {
    /// A sentence of the paper.
    pub fn sentence(what: impl Into<String>, paper: impl Into<String>, found: String, holds: bool) -> Claim {
        Claim { what: what.into(), paper: paper.into(), found, holds, headline: true }
    }

    /// A number of the paper, which is met if the difference is within a tolerance.
    pub fn number(what: impl Into<String>, paper: f64, found: f64, tolerance: f64) -> Claim {
        Claim {
            what: what.into(),
            paper: three(paper),
            found: three(found),
            holds: (paper - found).abs() <= tolerance,
            headline: false,
        }
    }
}

/// Formats a number with three decimals and a true minus sign.
fn three(number: f64) -> String {
    format!("{number:.3}").replace('-', "−")
}

/// The columns of a table of claims.
const TITLES: [&str; 5] = ["claim", "paper", "found", "holds", "headline"];

/// Writes the table that [`read`] reads.
pub fn table(claims: &[Claim]) -> String {
    let row = |claim: &Claim| {
        let words = [&claim.what, &claim.paper, &claim.found].map(Clone::clone);
        words.into_iter().chain([claim.holds, claim.headline].map(|yes| yes.to_string())).collect()
    };
    csv::table(&TITLES, &claims.iter().map(row).collect::<Vec<Vec<String>>>())
}

/// Reads a table of claims.
///
/// # Errors
/// [`TableError`] with the line at fault.
pub fn read(text: &str) -> Result<Vec<Claim>, TableError> {
    let sheet = Sheet::read(text)?;
    let columns: Vec<usize> = TITLES.iter().map(|title| sheet.needed(&[title])).collect::<Result<_, _>>()?;
    let claim = |(line, cells): (u64, &[String])| {
        let truth = |column: usize| match cells[columns[column]].as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            other => {
                let what = format!("{} is '{other}'", TITLES[column]);
                Err(TableError::new(Some(line), what, "write true or false"))
            }
        };
        let word = |column: usize| cells[columns[column]].clone();
        Ok(Claim { what: word(0), paper: word(1), found: word(2), holds: truth(3)?, headline: truth(4)? })
    };
    sheet.rows().map(claim).collect()
}

/// The claims of one experiment in both readings; experiments that have only one reading have no second list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// What the text reading found, or the only reading.
    pub text: Vec<Claim>,
    /// What the authors' reading found; `None` if it does not differ from the text's, or was not computed.
    pub authors: Option<Vec<Claim>>,
}

/// One claim in both readings.
struct Compared<'a> {
    text: Option<&'a Claim>,
    authors: Option<&'a Claim>,
}

impl Compared<'_> {
    fn any(&self) -> Option<&Claim> {
        self.text.or(self.authors)
    }

    fn verdict(&self) -> &'static str {
        let holds = |claim: Option<&Claim>| claim.map(|claim| claim.holds);
        match (holds(self.text), holds(self.authors)) {
            (Some(true), Some(false)) => "holds in the text reading",
            (Some(true), _) => "holds",
            (_, Some(true)) => "holds in the authors' reading",
            _ => "does not hold",
        }
    }

    fn row(&self) -> Vec<String> {
        let found = |claim: Option<&Claim>| claim.map_or_else(String::new, |claim| claim.found.clone());
        let any = self.any();
        vec![
            any.map_or_else(String::new, |claim| claim.what.clone()),
            any.map_or_else(String::new, |claim| claim.paper.clone()),
            found(self.authors),
            found(self.text),
            self.verdict().to_owned(),
        ]
    }
}

impl Claims {
    /// The claims side by side: those of the text reading in order, then those that only the other reading has.
    fn compared(&self) -> Vec<Compared<'_>> {
        let authors = self.authors.as_deref().unwrap_or_default();
        let find = |list: &'_ [Claim], what: &str| list.iter().position(|claim| claim.what == what);
        let mut all: Vec<Compared<'_>> = self
            .text
            .iter()
            .map(|text| Compared {
                text: Some(text),
                authors: find(authors, &text.what).map(|at| &authors[at]),
            })
            .collect();
        let rest = authors.iter().filter(|claim| find(&self.text, &claim.what).is_none());
        all.extend(rest.map(|claim| Compared { text: None, authors: Some(claim) }));
        all
    }

    /// All claims as a table.
    pub fn all(&self) -> String {
        self.rows(|_| true)
    }

    /// The claims of the first page, and how many of the single numbers were met.
    pub fn headlines(&self) -> String {
        let numbers: Vec<Compared<'_>> =
            self.compared().into_iter().filter(|one| !is_headline(one)).collect();
        let met = |of: fn(&Compared<'_>) -> Option<bool>| {
            numbers.iter().filter(|one| of(one) == Some(true)).count()
        };
        let mut text = self.rows(is_headline);
        if !numbers.is_empty() {
            let all = numbers.len();
            let authors = self.authors.as_ref().map(|_| met(|one| one.authors.map(|claim| claim.holds)));
            let authors = authors.map_or_else(String::new, |met| format!(" in the authors' reading {met},"));
            let text_met = met(|one| one.text.map(|claim| claim.holds));
            text.push_str(&format!(
                "\nOf {all} single numbers,{authors} in the text reading {text_met} are met.\n"
            ));
        }
        text
    }

    fn rows(&self, wanted: impl Fn(&Compared<'_>) -> bool) -> String {
        let rows: Vec<Vec<String>> =
            self.compared().iter().filter(|one| wanted(one)).map(Compared::row).collect();
        if rows.is_empty() {
            return String::new();
        }
        if self.authors.is_some() {
            let titles = ["what the paper says", "paper", "authors' reading", "text reading", "verdict"];
            return markdown::table(&titles, titles.len(), &rows);
        }
        // The readings do not differ, so one column shows what was found.
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|mut row| [row.remove(0), row.remove(0), row.remove(1), row.remove(1)].to_vec())
            .collect();
        let titles = ["what the paper says", "paper", "here", "verdict"];
        markdown::table(&titles, titles.len(), &rows)
    }
}

fn is_headline(one: &Compared<'_>) -> bool {
    one.any().is_some_and(|claim| claim.headline)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(what: &str, holds: bool) -> Claim {
        Claim::sentence(what, "yes", format!("{holds}, \"so\""), holds)
    }

    #[test]
    fn tables_are_read_back() {
        let claims = vec![claim("a, b", true), Claim::number("x", 0.5, -0.25, 0.03)];
        assert_eq!(read(&table(&claims)).unwrap(), claims);
        assert_eq!(claims[1].found, "−0.250");
        let wrong = table(&claims).replace("true", "perhaps");
        assert_eq!(read(&wrong).unwrap_err().to_string(), "line 2: holds is 'perhaps'");
    }

    #[test]
    fn numbers_are_met_within_their_tolerance() {
        assert!(Claim::number("x", 0.53, 0.56, 0.0301).holds);
        assert!(!Claim::number("x", 0.53, 0.561, 0.03).holds);
        assert!(!Claim::number("x", 0.53, f64::NAN, 0.03).holds);
    }

    #[test]
    fn verdicts_tell_the_readings_apart() {
        let text =
            vec![claim("both", true), claim("theirs", false), claim("ours", true), claim("none", false)];
        let authors =
            vec![claim("ours", false), claim("both", true), claim("theirs", true), claim("more", false)];
        let both = Claims { text: text.clone(), authors: Some(authors) }.all();
        let verdicts: Vec<&str> =
            both.lines().skip(2).map(|line| line.split(" | ").last().unwrap()).collect();
        let expected = [
            "holds |",
            "holds in the authors' reading |",
            "holds in the text reading |",
            "does not hold |",
            "does not hold |",
        ];
        assert_eq!(verdicts, expected, "{both}");
        let one = Claims { text, authors: None }.all();
        assert!(one.contains("| what the paper says | paper | here | verdict |"), "{one}");
        assert!(one.contains("| both | yes | true, \"so\" | holds |"), "{one}");
    }

    #[test]
    fn single_numbers_are_counted() {
        let numbers = |met: f64| {
            vec![claim("first", true), Claim::number("x", 0.5, met, 0.1), Claim::number("y", 0.5, 0.5, 0.1)]
        };
        let shown = Claims { text: numbers(0.9), authors: Some(numbers(0.5)) }.headlines();
        assert!(!shown.contains("| x |"), "{shown}");
        assert!(
            shown.ends_with(
                "Of 2 single numbers, in the authors' reading 2, in the text reading 1 are met.\n"
            )
        );
    }
}
