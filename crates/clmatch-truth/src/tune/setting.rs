//! A setting: one value for every dimension of a space.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Reals of at least this size, and those smaller than [`PLAIN_FROM`], are printed with an exponent.
const PLAIN_TO: f64 = 1e7;
/// See [`PLAIN_TO`].
const PLAIN_FROM: f64 = 1e-4;

/// The value of one hyperparameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A real number.
    Real(f64),
    /// A whole number.
    Integer(i64),
    /// A name.
    Choice(String),
}

impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Real(x)
    }
}

impl From<i64> for Value {
    fn from(x: i64) -> Value {
        Value::Integer(x)
    }
}

impl From<&str> for Value {
    fn from(name: &str) -> Value {
        Value::Choice(name.to_owned())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Real(x) if *x == 0.0 || (PLAIN_FROM..PLAIN_TO).contains(&x.abs()) => write!(out, "{x}"),
            Value::Real(x) => write!(out, "{x:e}"),
            Value::Integer(x) => write!(out, "{x}"),
            Value::Choice(name) => out.write_str(name),
        }
    }
}

/// One value for every dimension of a [`Space`](crate::tune::Space). Only a space makes settings, so their values are
/// within range.
///
/// It prints as `kmax=12 tolerance=0.31`, which [`Space::parse`](crate::tune::Space::parse) reads back exactly.
#[derive(Debug, Clone)]
pub struct Setting {
    names: Arc<[String]>,
    values: Vec<Value>,
}

impl Setting {
    /// Takes values that were checked against the dimensions.
    pub(crate) fn new(names: Arc<[String]>, values: Vec<Value>) -> Setting {
        Setting { names, values }
    }

    /// The names, in the order of the space.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values, in the order of the space.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The value of a dimension.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.iter().position(|known| known == name).map(|i| &self.values[i])
    }

    /// The value of a real dimension.
    pub fn real(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Value::Real(x) => Some(*x),
            _ => None,
        }
    }

    /// The value of an integer dimension.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Value::Integer(x) => Some(*x),
            _ => None,
        }
    }

    /// The name chosen in a dimension of choices.
    pub fn choice(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Choice(choice) => Some(choice),
            _ => None,
        }
    }
}

impl PartialEq for Setting {
    fn eq(&self, other: &Setting) -> bool {
        self.values == other.values && self.names == other.names
    }
}

// Values are finite: a space accepts no NaN.
impl Eq for Setting {}

impl Hash for Setting {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for value in &self.values {
            match value {
                // Adding 0 turns -0 into 0, which is equal to it.
                Value::Real(x) => (x + 0.0).to_bits().hash(state),
                Value::Integer(x) => x.hash(state),
                Value::Choice(name) => name.hash(state),
            }
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.names.iter().zip(&self.values).enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(out, "{gap}{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use crate::tune::{Dimension, Space};

    #[test]
    fn equal_settings_have_equal_hashes_and_others_have_others() {
        let space = Space::new([
            ("shift", Dimension::real(-1.0, 1.0)),
            ("n", Dimension::integer(1, 2)),
            ("kind", Dimension::choice(["a", "b"])),
        ])
        .unwrap();
        let hash =
            |text: &str| BuildHasherDefault::<DefaultHasher>::default().hash_one(space.parse(text).unwrap());
        assert_eq!(space.parse("shift=0 n=1 kind=a"), space.parse("shift=-0 n=1 kind=a"));
        assert_eq!(hash("shift=0 n=1 kind=a"), hash("shift=-0 n=1 kind=a"));
        let different =
            ["shift=0 n=1 kind=a", "shift=0.5 n=1 kind=a", "shift=0 n=2 kind=a", "shift=0 n=1 kind=b"];
        assert_eq!(different.map(hash).into_iter().collect::<HashSet<u64>>().len(), 4);
    }
}
