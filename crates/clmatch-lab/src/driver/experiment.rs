//! The experiments by name.

use crate::first_page;

/// An experiment of the paper, or an additional one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// Which axioms hold, with the smallest counterexamples.
    Axioms,
    /// How run times grow with points, dimensions and classes.
    Complexity,
    /// Which protocols make measures insensitive to the number of points and of dimensions.
    Ablation,
    /// Measures and classifiers compared with the ground truth.
    Across,
    /// Measures on labels that are shuffled more and more.
    Within,
    /// Run times of measures, classifiers and the clustering ensemble.
    Runtime,
    /// Rankings of techniques on good, all and bad datasets.
    Stability,
    /// Datasets improved by better features, and what that does to rankings.
    Improve,
    /// Growth rates: a round trip with simulated judges, and transfer from the human-calibrated `CH_A`.
    Calibrate,
    /// Scores of a half, a quarter and a tenth of the points.
    Density,
    /// How much the ground truth differs between ten seeds.
    TruthSeeds,
}

use Experiment::{
    Ablation, Across, Axioms, Calibrate, Complexity, Density, Improve, Runtime, Stability, TruthSeeds, Within,
};

impl Experiment {
    /// The experiments that are run together, in the order of the paper; additional ones come last.
    pub const TOGETHER: [Experiment; 10] =
        [Axioms, Complexity, Ablation, Across, Within, Runtime, Stability, Improve, Calibrate, Density];

    /// The word for the experiment in commands; pages and files begin with it.
    pub const fn id(self) -> &'static str {
        match self {
            Axioms => "axioms",
            Complexity => "complexity",
            Ablation => "ablation",
            Across => "across",
            Within => "within",
            Runtime => "runtime",
            Stability => "stability",
            Improve => "improve",
            Calibrate => "calibrate",
            Density => "density",
            TruthSeeds => "truth-seeds",
        }
    }

    /// The experiment of this name.
    pub fn find(id: &str) -> Option<Experiment> {
        Experiment::TOGETHER.into_iter().chain([TruthSeeds]).find(|experiment| experiment.id() == id)
    }

    /// Whether the authors' programs differ from the text.
    pub fn has_readings(self) -> bool {
        first_page::has_readings(self.id())
    }

    pub(super) const fn needs_datasets(self) -> bool {
        !matches!(self, Axioms | Complexity | Ablation | Calibrate)
    }

    pub(super) const fn needs_truth(self) -> bool {
        matches!(self, Across | Stability | Runtime)
    }

    pub(super) const fn needs_accuracies(self) -> bool {
        matches!(self, Across | Runtime)
    }
}
