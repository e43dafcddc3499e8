//! Builds a tree from the parts of labels.

use std::collections::BTreeSet;
use std::fmt;

use clmatch::Labels;
use clmatch_data::Advice;

/// Labels in parts. Everything is indexed by the code of a label, as in [`Labels::names`].
#[derive(Debug)]
pub(super) struct LabelTree<'a> {
    /// The parts of each label; `None` for noise.
    parts: Vec<Option<Vec<&'a str>>>,
    /// How many points have each label.
    sizes: Vec<usize>,
    /// The beginnings that some label continues, parents before their children.
    nodes: BTreeSet<Vec<&'a str>>,
    separator: &'a str,
}

/// Why labels do not form a tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TreeError {
    /// No label contains the separator.
    NoSeparator { separator: String, example: String },
    /// There is nothing between two separators, or before the first or after the last one.
    EmptyPart { label: String, points: usize },
    /// Every point is noise.
    NoLabels,
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::NoSeparator { separator, example } => {
                write!(f, "no label contains '{separator}' (one of them is '{example}')")
            }
            TreeError::EmptyPart { label, points } => {
                let points = if *points == 1 { "1 point".to_owned() } else { format!("{points} points") };
                write!(f, "the label '{label}' of {points} has an empty part")
            }
            TreeError::NoLabels => f.write_str("no point is left after dropping noise"),
        }
    }
}

impl TreeError {
    /// What to do about it.
    pub(super) fn advice(&self) -> Advice {
        match self {
            TreeError::NoSeparator { .. } => Advice::ChooseSeparator,
            TreeError::EmptyPart { .. } => Advice::from("correct the label: every part needs a name"),
            TreeError::NoLabels => Advice::CheckNoiseAndSingletons,
        }
    }
}

impl<'a> LabelTree<'a> {
    /// Cuts all labels except the noise.
    pub(super) fn new(
        labels: &'a Labels,
        noise: Option<&str>,
        separator: &'a str,
    ) -> Result<Self, TreeError> {
        let mut sizes = vec![0; labels.names().len()];
        labels.codes().iter().for_each(|&code| sizes[code as usize] += 1);
        let cut = |name: &'a String| {
            (Some(name.as_str()) != noise).then(|| name.split(separator).collect::<Vec<&str>>())
        };
        let parts: Vec<Option<Vec<&str>>> = labels.names().iter().map(cut).collect();
        for ((parts, name), &points) in parts.iter().zip(labels.names()).zip(&sizes) {
            if parts.as_ref().is_some_and(|parts| parts.contains(&"")) {
                return Err(TreeError::EmptyPart { label: name.clone(), points });
            }
        }
        let tree = LabelTree { nodes: inner_nodes(&parts), parts, sizes, separator };
        match (tree.depth(), tree.parts.iter().position(Option::is_some)) {
            (_, None) => Err(TreeError::NoLabels),
            (1, Some(first)) => Err(TreeError::NoSeparator {
                separator: separator.to_owned(),
                example: labels.names()[first].clone(),
            }),
            _ => Ok(tree),
        }
    }

    /// The largest number of parts.
    pub(super) fn depth(&self) -> usize {
        self.parts.iter().flatten().map(Vec::len).max().unwrap_or_default()
    }

    /// Nodes with children, except the root: each followed by its descendants.
    pub(super) fn nodes(&self) -> &BTreeSet<Vec<&'a str>> {
        &self.nodes
    }

    /// How many points have a label.
    pub(super) fn size(&self, code: usize) -> usize {
        self.sizes[code]
    }

    /// How many points are not noise.
    pub(super) fn points(&self) -> usize {
        self.known().map(|(code, _)| self.sizes[code]).sum()
    }

    /// How many different labels there are, without the noise.
    pub(super) fn labels(&self) -> usize {
        self.known().count()
    }

    fn known(&self) -> impl Iterator<Item = (usize, &Vec<&'a str>)> {
        self.parts.iter().enumerate().filter_map(|(code, parts)| Some((code, parts.as_ref()?)))
    }

    /// The labels cut to `level` parts: `None` for a label that ends earlier although others continue it, and the empty name for
    /// noise.
    pub(super) fn cut(&self, level: usize) -> Vec<Option<String>> {
        let cut = |parts: &Option<Vec<&'a str>>| match parts {
            None => Some(String::new()),
            Some(parts) if parts.len() >= level => Some(parts[..level].join(self.separator)),
            Some(parts) if self.nodes.contains(parts) => None,
            Some(parts) => Some(parts.join(self.separator)),
        };
        self.parts.iter().map(cut).collect()
    }

    /// The next part of the labels below a node: `None` for the label that equals the node, and the empty name for all labels
    /// elsewhere.
    pub(super) fn children(&self, node: &[&str]) -> Vec<Option<String>> {
        let child = |parts: &Option<Vec<&'a str>>| match parts {
            Some(parts) if parts.as_slice() == node => None,
            Some(parts) if parts.len() > node.len() && parts.starts_with(node) => {
                Some(parts[node.len()].to_owned())
            }
            _ => Some(String::new()),
        };
        self.parts.iter().map(child).collect()
    }

    /// How many points belong here but have no name here.
    pub(super) fn undecided(&self, names: &[Option<String>]) -> usize {
        names.iter().zip(&self.sizes).filter(|(name, _)| name.is_none()).map(|(_, size)| size).sum()
    }
}

fn inner_nodes<'a>(parts: &[Option<Vec<&'a str>>]) -> BTreeSet<Vec<&'a str>> {
    let starts =
        |parts: &Vec<&'a str>| (1..parts.len()).map(|count| parts[..count].to_vec()).collect::<Vec<_>>();
    parts.iter().flatten().flat_map(starts).collect()
}
