//! Options of the input as words of another command line, so that it reads the same dataset.

use clmatch::Singletons;
use clmatch_data::{Missing, Scale};

use super::InputArgs;

impl InputArgs {
    /// The options that are not the default ones.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        // A value that starts with a hyphen must not look like an option.
        let mut option = |name: &str, value: String| words.push(format!("--{name}={value}"));
        let scale = (self.scale != Scale::default()).then(|| self.scale.to_string());
        let missing = (self.missing != Missing::default()).then(|| self.missing.to_string());
        let labels = self.labels.as_ref().map(|path| path.display().to_string());
        let one = [
            ("label", self.label.clone()),
            ("labels", labels),
            ("layer", self.layer.clone()),
            ("missing", missing),
            ("scale", scale),
            ("noise", self.noise.clone()),
            ("singletons", (self.singletons() == Singletons::Drop).then(|| "drop".to_owned())),
        ];
        one.into_iter().for_each(|(name, value)| value.into_iter().for_each(|value| option(name, value)));
        let several =
            [("drop", &self.drop), ("keep", &self.keep), ("only", &self.only), ("one-hot", &self.one_hot)];
        several
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .for_each(|(name, names)| option(name, names.join(",")));
        let flags = [("drop-text", self.drop_text), ("mixed", self.mixed)];
        words.extend(flags.into_iter().filter(|(_, given)| *given).map(|(name, _)| format!("--{name}")));
        words.extend(self.text_words());
        words
    }

    /// The options that say how a text table is written, whatever its columns are.
    pub fn text_words(&self) -> Vec<String> {
        let flags =
            [("decimal-comma", self.decimal_comma), ("header", self.header), ("no-header", self.no_header)];
        let skipped = (self.skip_rows > 0).then(|| format!("--skip-rows={}", self.skip_rows));
        let given = flags.into_iter().filter(|(_, given)| *given).map(|(name, _)| format!("--{name}"));
        let na = (!self.na.is_empty()).then(|| format!("--na={}", self.na.join(",")));
        given.chain(skipped).chain(na).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::args::{Cli, Command};

    #[test]
    fn options_survive_being_written_down() {
        let given = [
            "clmatch",
            "explain",
            "x.csv",
            "--label=-1",
            "--drop=a,b",
            "--missing=drop",
            "--scale=robust",
            "--noise=-1",
            "--singletons=drop",
            "--one-hot=*",
            "--no-header",
            "--skip-rows=2",
            "--keep=id",
            "--only=c",
            "--decimal-comma",
            "--drop-text",
            "--mixed",
            "--na=-999,unknown",
            "--layer=X",
            "--labels=y.csv",
        ];
        let read = |words: &[String]| match Cli::try_parse_from(words).unwrap().command {
            Command::Explain(args) => args.input,
            other => panic!("{other:?}"),
        };
        let first = read(&given.map(String::from));
        let words: Vec<String> =
            ["clmatch", "explain", "x.csv"].map(String::from).into_iter().chain(first.words()).collect();
        assert_eq!(words.len(), given.len());
        assert_eq!(format!("{:?}", read(&words)), format!("{first:?}"));
        assert!(read(&["clmatch", "explain", "x.csv"].map(String::from)).words().is_empty());
    }
}
