//! Names as the paper prints them, for figures and tables.

/// The name of a measure, a technique or a classifier, in which `_` begins a subscript. Other ids are returned as they
/// are.
pub fn name(id: &str) -> &str {
    match id {
        "ch_a" => "CH_A",
        "xb_a" => "{II, XB}_A",
        "db_a" => "DB_A",
        "di_a" => "DI_A",
        "sc_a" => "SC_A",
        "ch_c" => "CH_C",
        "db_c" => "DB_C",
        "ch" => "CH",
        "di" => "DI",
        "ii" => "II",
        "xb" => "XB",
        "db" => "DB",
        "sc" => "SC",
        "clm" => "CLM",
        "clm_pairs" => "CLM_pairs",
        "hdbscan" => "HDBSCAN",
        "dbscan" => "DBSCAN",
        "kmeans" => "K-Means",
        "kmedoids" => "K-Medoids",
        "xmeans" => "X-Means",
        "birch" => "Birch",
        "agglo_single" => "Agglo. (single)",
        "agglo_average" => "Agglo. (average)",
        "agglo_complete" => "Agglo. (complete)",
        "svm" => "SVM",
        "knn" => "kNN",
        "mlp" => "MLP",
        "nb" => "NB",
        "rf" => "RF",
        "lr" => "LR",
        "lda" => "LDA",
        "xgb" => "XGB",
        "ensemble" => "Ensemble",
        "clustering" => "Clustering",
        other => other,
    }
}

/// The name in Markdown.
pub fn markdown(id: &str) -> String {
    match name(id).rsplit_once('_') {
        Some((base, subscript)) if name(id) != id => format!("{base}<sub>{subscript}</sub>"),
        _ => name(id).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_papers_and_strangers_keep_theirs() {
        assert_eq!((name("xb_a"), name("kmeans"), name("my_own")), ("{II, XB}_A", "K-Means", "my_own"));
        assert_eq!((markdown("ch_a").as_str(), markdown("my_own").as_str()), ("CH<sub>A</sub>", "my_own"));
    }
}
