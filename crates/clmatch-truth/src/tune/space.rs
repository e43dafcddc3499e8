//! The settings that a search may try.

use std::sync::Arc;

use rand::{Rng, RngExt};
use thiserror::Error;

use crate::tune::dimension::{Axis, Dimension, is_word};
use crate::tune::setting::{Setting, Value};
use crate::tune::space_error::SpaceError;

/// Why values are not a setting of a space.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// A dimension has no value.
    #[error("dimension '{dimension}' has no value")]
    Missing {
        /// The dimension.
        dimension: String,
    },
    /// A value for a name that is not a dimension, or a second value for one.
    #[error("'{name}' is no dimension of the space, or is given twice")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A value has the wrong kind, or is out of range.
    #[error("'{value}' is not a value of dimension '{dimension}'")]
    OutOfRange {
        /// The dimension.
        dimension: String,
        /// The value.
        value: String,
    },
    /// A word is not of the form `name=value`.
    #[error("'{word}' is not of the form name=value")]
    Malformed {
        /// The text.
        word: String,
    },
}

/// Named dimensions that have been checked.
///
/// ```
/// use clmatch_truth::tune::{Dimension, Space};
/// let space = Space::new([("kmax", Dimension::integer(2, 50)), ("tolerance", Dimension::real(0.01, 1.0))])?;
/// let setting = space.parse("kmax=12 tolerance=0.31")?;
/// assert_eq!(setting.integer("kmax"), Some(12));
/// assert_eq!(setting.to_string(), "kmax=12 tolerance=0.31");
/// assert_eq!(space.size(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    names: Arc<[String]>,
    dimensions: Vec<Dimension>,
}

impl Space {
    /// Checks names and ranges.
    ///
    /// # Errors
    /// The first name or range that is invalid.
    pub fn new<N: Into<String>>(
        dimensions: impl IntoIterator<Item = (N, Dimension)>,
    ) -> Result<Space, SpaceError> {
        let (names, dimensions): (Vec<String>, Vec<Dimension>) =
            dimensions.into_iter().map(|(name, dimension)| (name.into(), dimension)).unzip();
        if names.is_empty() {
            return Err(SpaceError::NoDimensions);
        }
        for (i, (name, dimension)) in names.iter().zip(&dimensions).enumerate() {
            if !is_word(name) {
                return Err(SpaceError::NotAWord { name: name.clone() });
            }
            if names[..i].contains(name) {
                return Err(SpaceError::RepeatedName { name: name.clone() });
            }
            dimension.check(name)?;
        }
        Ok(Space { names: names.into(), dimensions })
    }

    /// The names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The dimensions, in order.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// How coordinates are compared along each dimension.
    pub fn axes(&self) -> Vec<Axis> {
        self.dimensions.iter().map(Dimension::axis).collect()
    }

    /// The number of settings; `None` if it is infinite or exceeds a `u64`.
    pub fn size(&self) -> Option<u64> {
        self.dimensions.iter().try_fold(1_u64, |product, dimension| product.checked_mul(dimension.size()?))
    }

    /// All settings of a finite space, the last dimension varying fastest; `None` for an infinite one.
    pub fn all(&self) -> Option<impl Iterator<Item = Setting> + '_> {
        Some((0..self.size()?).map(|index| self.nth(index)))
    }

    /// The setting with this number in the order of [`Space::all`], if the space is finite and has that many settings.
    pub fn get(&self, index: u64) -> Option<Setting> {
        (index < self.size()?).then(|| self.nth(index))
    }

    /// The setting with a number below [`Space::size`], which must not be `None`.
    pub(crate) fn nth(&self, index: u64) -> Setting {
        let mut rest = index;
        let mut values: Vec<Value> = self
            .dimensions
            .iter()
            .rev()
            .map(|dimension| {
                let size = dimension.size().unwrap_or(1);
                let digit = rest % size;
                rest /= size;
                dimension.nth(digit)
            })
            .collect();
        values.reverse();
        Setting::new(Arc::clone(&self.names), values)
    }

    /// Makes a setting from values, in any order.
    ///
    /// # Errors
    /// If there is a name too many or too few, or a value is out of range.
    pub fn setting<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Setting, SettingError> {
        let mut found: Vec<Option<Value>> = vec![None; self.dimensions.len()];
        for (name, value) in values {
            let i = self.open_place(name, &found)?;
            if !self.dimensions[i].contains(&value) {
                return Err(self.out_of_range(i, &value.to_string()));
            }
            found[i] = Some(value);
        }
        self.complete(found)
    }

    /// Reads a setting as it is printed: `kmax=12 tolerance=0.31`, in any order.
    ///
    /// # Errors
    /// Like those of [`Space::setting`], and for words without `=`.
    pub fn parse(&self, text: &str) -> Result<Setting, SettingError> {
        let mut found: Vec<Option<Value>> = vec![None; self.dimensions.len()];
        for word in text.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else {
                return Err(SettingError::Malformed { word: word.to_owned() });
            };
            let i = self.open_place(name, &found)?;
            found[i] = Some(self.dimensions[i].parse(value).ok_or_else(|| self.out_of_range(i, value))?);
        }
        self.complete(found)
    }

    /// Converts a setting, possibly of another space, to one of this space: the same values, in the order of these
    /// dimensions.
    ///
    /// # Errors
    /// Like those of [`Space::setting`].
    pub fn adopt(&self, setting: &Setting) -> Result<Setting, SettingError> {
        self.setting(setting.names().iter().map(String::as_str).zip(setting.values().iter().cloned()))
    }

    /// The coordinates of a setting in the unit cube.
    ///
    /// # Errors
    /// Like those of [`Space::adopt`].
    pub fn to_unit(&self, setting: &Setting) -> Result<Vec<f64>, SettingError> {
        Ok(self.coordinates(&self.adopt(setting)?))
    }

    /// The coordinates of a setting that belongs to this space.
    pub(crate) fn coordinates(&self, setting: &Setting) -> Vec<f64> {
        let coordinate = |(dimension, value): (&Dimension, &Value)| dimension.to_unit(value).unwrap_or(0.5);
        self.dimensions.iter().zip(setting.values()).map(coordinate).collect()
    }

    /// The setting at coordinates, which are clamped to the unit cube; missing coordinates count as 1/2.
    pub fn at_unit(&self, unit: &[f64]) -> Setting {
        let coordinates = unit.iter().copied().chain(std::iter::repeat(0.5));
        let values =
            self.dimensions.iter().zip(coordinates).map(|(dimension, u)| dimension.at_unit(u)).collect();
        Setting::new(Arc::clone(&self.names), values)
    }

    /// Moves coordinates to those of the setting that they represent.
    pub fn snap(&self, unit: &mut [f64]) {
        unit.iter_mut().zip(&self.dimensions).for_each(|(u, dimension)| *u = dimension.snap(*u));
    }

    /// A setting drawn uniformly over the unit cube.
    pub fn draw(&self, random: &mut impl Rng) -> Setting {
        let unit: Vec<f64> = self.dimensions.iter().map(|_| random.random::<f64>()).collect();
        self.at_unit(&unit)
    }

    fn open_place(&self, name: &str, found: &[Option<Value>]) -> Result<usize, SettingError> {
        let place = self.names.iter().position(|known| known == name).filter(|&i| found[i].is_none());
        place.ok_or_else(|| SettingError::Unknown { name: name.to_owned() })
    }

    fn out_of_range(&self, i: usize, value: &str) -> SettingError {
        SettingError::OutOfRange { dimension: self.names[i].clone(), value: value.to_owned() }
    }

    fn complete(&self, found: Vec<Option<Value>>) -> Result<Setting, SettingError> {
        let missing = |i: usize| SettingError::Missing { dimension: self.names[i].clone() };
        let values: Result<Vec<Value>, SettingError> =
            found.into_iter().enumerate().map(|(i, value)| value.ok_or_else(|| missing(i))).collect();
        Ok(Setting::new(Arc::clone(&self.names), values?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order() {
        let space = Space::new([("b", Dimension::integer(1, 2)), ("a", Dimension::real(0.0, 1.0))]).unwrap();
        assert_eq!(space.names(), ["b", "a"]);
        assert_eq!(space.at_unit(&[0.0]).names(), space.names());
    }
}
