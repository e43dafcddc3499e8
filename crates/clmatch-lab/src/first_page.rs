//! The page that leads through the paper in its order: every claim with a verdict and a link.

use crate::claims::Claims;
use crate::reading::Reading;

/// A section of the paper and the experiment that answers it.
pub struct Section {
    /// The paper's title of the section.
    pub title: &'static str,
    /// The name of the experiment.
    pub experiment: &'static str,
    /// The readings in which the experiment differs; only the text's if they agree.
    pub readings: &'static [Reading],
}

/// A section on which text and programs agree.
const fn section(title: &'static str, experiment: &'static str) -> Section {
    Section { title, experiment, readings: &[Reading::Text] }
}

/// A section that the authors' programs compute differently from the text.
const fn in_both(title: &'static str, experiment: &'static str) -> Section {
    Section { title, experiment, readings: &Reading::ALL }
}

/// The sections of the paper, in its order.
pub const SECTIONS: [Section; 8] = [
    section("3, 4, 8.2: Axioms and protocols", "axioms"),
    section("5.1: Computational complexity", "complexity"),
    in_both("6.1: Ablation study on the protocols", "ablation"),
    in_both("6.2: Across-dataset rank correlation", "across"),
    in_both("6.3: Within-dataset rank correlation", "within"),
    section("6.4, 8.1: Runtime", "runtime"),
    in_both("7.1: Ranking benchmark datasets for reliable external validation", "stability"),
    in_both("7.2: Improving the match of benchmark datasets", "improve"),
];

/// The experiments that the paper does not have.
pub const BESIDE: [&str; 3] = ["calibrate", "density", APART];
/// The experiment that takes so long that `lab all` leaves it out.
pub const APART: &str = "truth-seeds";

/// Whether the text and the authors' programs differ in an experiment.
pub fn has_readings(experiment: &str) -> bool {
    SECTIONS.iter().any(|section| section.experiment == experiment && section.readings.len() > 1)
}

/// The pages, without their extension, that `lab all` leaves in a folder after both readings.
pub fn pages() -> Vec<String> {
    let of =
        |section: &Section| section.readings.iter().map(|reading| reading.mark(section.experiment)).collect();
    let paper = SECTIONS.iter().flat_map(|section| -> Vec<String> { of(section) });
    paper.chain(BESIDE.into_iter().filter(|&name| name != APART).map(str::to_owned)).collect()
}

/// The results of one experiment.
pub struct Entry {
    /// The name of the experiment.
    pub name: String,
    /// The pages in the folder, that of the text reading first.
    pub pages: Vec<Page>,
    /// The claims of the experiment.
    pub claims: Claims,
}

/// A page in the folder.
pub struct Page {
    /// The name of the file.
    pub file: String,
    /// The title of the page.
    pub title: String,
    /// The first sentence of the page.
    pub summary: String,
}

impl Page {
    /// Reads the title and the first sentence of a page that [`Findings::markdown`](crate::Findings::markdown) wrote.
    pub fn of(file: String, text: &str) -> Page {
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let title = lines.next().unwrap_or_default().trim_start_matches("# ").to_owned();
        Page { file, title, summary: lines.next().unwrap_or_default().to_owned() }
    }
}

/// What a reader should know before looking at any number.
const NOTES: &str = "* The paper uses 96 datasets, of which 92 are distributed in a form that can be read; every number here is over \
    those that were named to the command.\n\
    * The *text reading* does what the paper says. The *authors' reading* does what their programs do where the two \
    differ; each page says where.\n\
    * A claim *holds* if it holds in the text reading, *holds in the authors' reading* if only there, and *does not hold* \
    otherwise. Correlations are met if they differ by at most 0.03 (their deviations: 0.1), error reductions if they differ by less than 10 points.\n";

/// Writes the first page. Experiments without a page are listed as missing.
pub fn first_page(entries: &[Entry], classifiers: &str) -> String {
    let find =
        |name: &str| entries.iter().find(|entry| entry.name == name).filter(|entry| !entry.pages.is_empty());
    let mut text = format!(
        "# The paper, number by number\n\nJeon et al., *Measuring the Validity of Clustering Validation Datasets* (IEEE TPAMI \
         2025), computed anew by `clmatch lab all`.\n\n{NOTES}* Classifiers: {classifiers}\n"
    );
    for Section { title, experiment, .. } in &SECTIONS {
        text.push_str(&format!("\n## {title}\n\n"));
        match find(experiment) {
            Some(entry) => text.push_str(&links(entry)),
            None => text.push_str(&format!("Not computed yet: `clmatch lab {experiment}`.\n")),
        }
        if let Some(entry) = find(experiment) {
            text.push_str(&format!("\n{}", entry.claims.headlines()));
        }
    }
    let beside: String = BESIDE.iter().filter_map(|name| find(name)).map(links).collect();
    if beside.is_empty() { text } else { format!("{text}\n## Beside the paper\n\n{beside}") }
}

fn links(entry: &Entry) -> String {
    let line = |page: &Page| format!("* [{}]({}): {}\n", page.title, page.file, page.summary);
    entry.pages.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Claim;

    #[test]
    fn pages_of_both_readings() {
        let expected = "axioms complexity ablation ablation-authors across across-authors within within-authors runtime \
                        stability stability-authors improve improve-authors calibrate density";
        assert_eq!(pages(), expected.split(' ').collect::<Vec<_>>());
        assert!(has_readings("within") && !has_readings("runtime") && !has_readings("density"));
    }

    #[test]
    fn sections_come_in_the_papers_order_and_what_is_missing_is_named() {
        let claims = Claims { text: vec![Claim::sentence("a", "yes", "b".into(), false)], authors: None };
        let page = Page::of("across.md".into(), "# Across\n\nit is so.\n\n## More\n");
        let entries = [Entry { name: "across".into(), pages: vec![page], claims }];
        let text = first_page(&entries, "default settings.");
        assert!(text.contains("\n* [Across](across.md): it is so.\n\n| what the paper says |"), "{text}");
        assert!(text.contains("| a | yes | b | does not hold |"), "{text}");
        assert!(text.contains("Not computed yet: `clmatch lab axioms`."), "{text}");
        let places: Vec<usize> = SECTIONS.iter().map(|section| text.find(section.title).unwrap()).collect();
        assert!(places.is_sorted() && !text.contains("Beside the paper"), "{text}");
    }
}
