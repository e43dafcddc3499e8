//! The paper's results for the measures and the classifiers across datasets.

/// The external measures of the paper's table, in its order.
pub(super) const EXTERNALS: [&str; 4] = ["ami", "arand", "vm", "nmi"];

/// The kinds of competitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Classifier,
    Standard,
    Adjusted,
}

/// One line of the paper's table.
pub(super) struct PaperLine {
    pub(super) id: &'static str,
    pub(super) family: Family,
    /// Spearman's correlations with the ground truth by each external measure.
    pub(super) rho: [f64; 4],
}

const fn line(id: &'static str, family: Family, rho: [f64; 4]) -> PaperLine {
    PaperLine { id, family, rho }
}

/// Jeon et al., TPAMI 2025, the table of the across-dataset analysis (96 datasets).
pub(super) const TABLE: [PaperLine; 20] = [
    line("nb", Family::Classifier, [0.4126, 0.5276, 0.3157, 0.3130]),
    line("mlp", Family::Classifier, [0.4405, 0.5386, 0.3600, 0.3761]),
    line("lr", Family::Classifier, [0.4456, 0.5382, 0.3666, 0.3873]),
    line("xgb", Family::Classifier, [0.4543, 0.5247, 0.3373, 0.3377]),
    line("knn", Family::Classifier, [0.4876, 0.5810, 0.3974, 0.4094]),
    line("rf", Family::Classifier, [0.4893, 0.5741, 0.3991, 0.3889]),
    line("lda", Family::Classifier, [0.4999, 0.5726, 0.3945, 0.3606]),
    line("svm", Family::Classifier, [0.5427, 0.6235, 0.4625, 0.4827]),
    line("ensemble", Family::Classifier, [0.5536, 0.6162, 0.4486, 0.4531]),
    line("ch", Family::Standard, [0.5923, 0.6222, 0.4487, 0.3810]),
    line("di", Family::Standard, [0.4026, 0.3534, 0.5366, 0.5979]),
    line("ii", Family::Standard, [0.5668, 0.5957, 0.6086, 0.6454]),
    line("xb", Family::Standard, [0.6201, 0.7019, 0.4934, 0.4446]),
    line("db", Family::Standard, [0.7091, 0.7513, 0.5719, 0.5015]),
    line("sc", Family::Standard, [0.5648, 0.6800, 0.4549, 0.4208]),
    line("ch_a", Family::Adjusted, [0.8714, 0.8472, 0.8300, 0.7836]),
    line("di_a", Family::Adjusted, [0.7293, 0.7177, 0.7504, 0.7427]),
    line("xb_a", Family::Adjusted, [0.8463, 0.8442, 0.8060, 0.7818]),
    line("db_a", Family::Adjusted, [0.8315, 0.8111, 0.7856, 0.7436]),
    line("sc_a", Family::Adjusted, [0.8955, 0.8769, 0.8217, 0.7733]),
];

/// Each standard measure and its adjusted form.
pub(super) const FORMS: [(&str, &str); 6] =
    [("ch", "ch_a"), ("di", "di_a"), ("ii", "xb_a"), ("xb", "xb_a"), ("db", "db_a"), ("sc", "sc_a")];

/// The paper's number, if it has one.
pub(super) fn reported(id: &str, external: &str) -> Option<f64> {
    let at = EXTERNALS.iter().position(|known| *known == external)?;
    TABLE.iter().find(|line| line.id == id).map(|line| line.rho[at])
}

/// The family of one of the paper's competitors.
pub(super) fn family(id: &str) -> Option<Family> {
    TABLE.iter().find(|line| line.id == id).map(|line| line.family)
}
