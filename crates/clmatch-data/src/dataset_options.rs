//! Options that belong to one dataset of a run.

use std::path::PathBuf;

use clmatch::Singletons;

use crate::options::{Missing, ReadOptions};
use crate::scale::Scale;

/// How one dataset is read and prepared; each option that is given comes before that of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DatasetOptions {
    /// See [`ReadOptions::label`].
    pub label: Option<String>,
    /// See [`ReadOptions::labels_file`].
    pub labels_file: Option<PathBuf>,
    /// See [`ReadOptions::layer`].
    pub layer: Option<String>,
    /// See [`ReadOptions::drop`].
    pub drop: Option<Vec<String>>,
    /// See [`ReadOptions::keep`].
    pub keep: Option<Vec<String>>,
    /// See [`ReadOptions::only`].
    pub only: Option<Vec<String>>,
    /// See [`ReadOptions::drop_text`].
    pub drop_text: Option<bool>,
    /// See [`ReadOptions::one_hot`].
    pub one_hot: Option<Vec<String>>,
    /// See [`ReadOptions::mixed`].
    pub mixed: Option<bool>,
    /// See [`ReadOptions::missing`].
    pub missing: Option<Missing>,
    /// See [`ReadOptions::missing_values`].
    pub missing_values: Option<Vec<String>>,
    /// See [`ReadOptions::decimal_comma`].
    pub decimal_comma: Option<bool>,
    /// See [`ReadOptions::header`].
    pub header: Option<bool>,
    /// See [`ReadOptions::skip_rows`].
    pub skip_rows: Option<usize>,
    /// How the features are scaled.
    pub scale: Option<Scale>,
    /// Points with this label are left out.
    pub noise: Option<String>,
    /// How classes of a single point are treated.
    pub singletons: Option<Singletons>,
}

impl DatasetOptions {
    /// Sets the options that are given in those of a run.
    pub fn set_read(&self, read: &mut ReadOptions) {
        fn set<T: Clone>(given: &Option<T>, option: &mut T) {
            if let Some(given) = given {
                option.clone_from(given);
            }
        }
        // Every field is named, so that a new option is not forgotten here.
        let ReadOptions {
            label,
            labels_file,
            layer,
            drop,
            keep,
            only,
            drop_text,
            one_hot,
            mixed,
            missing,
            missing_values,
            decimal_comma,
            header,
            skip_rows,
            show: _,
            memory_limit: _,
        } = read;
        *label = self.label.clone().or(label.take());
        *labels_file = self.labels_file.clone().or(labels_file.take());
        *layer = self.layer.clone().or(layer.take());
        set(&self.drop, drop);
        set(&self.keep, keep);
        set(&self.only, only);
        set(&self.drop_text, drop_text);
        set(&self.one_hot, one_hot);
        set(&self.mixed, mixed);
        set(&self.missing, missing);
        set(&self.missing_values, missing_values);
        set(&self.decimal_comma, decimal_comma);
        *header = self.header.or(*header);
        set(&self.skip_rows, skip_rows);
    }

    /// Sets the options that are given in those of a run, scaling and left out points included.
    pub fn set_all(
        &self,
        read: &mut ReadOptions,
        scale: &mut Scale,
        noise: &mut Option<String>,
        singletons: &mut Singletons,
    ) {
        self.set_read(read);
        *scale = self.scale.unwrap_or(*scale);
        *noise = self.noise.clone().or(noise.take());
        *singletons = self.singletons.unwrap_or(*singletons);
    }
}
