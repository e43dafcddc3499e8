//! One hyperparameter: its range, its scale, and its place on the unit interval.
//!
//! ```text
//! real       u = (x - low) / (high - low)                          linear
//!            u = ln(x / low) / ln(high / low)                      logarithmic
//! integer    u = (x - low + 1/2) / (high - low + 1)                linear
//!            u = ln(x / (low - 1/2)) / ln((high + 1/2) / (low - 1/2))   logarithmic
//! choice     u = (i + 1/2) / m                                     the i-th of m, from 0
//! ```
//!
//! An integer owns the cell from x - 1/2 to x + 1/2, so that uniform coordinates draw every integer equally often on the
//! linear scale, including the ends. A range of one value has the coordinate 1/2.

use crate::tune::setting::Value;
use crate::tune::space_error::SpaceError;

/// Integers stay below this size, so that the coordinates of neighbours differ in double precision on both scales.
const LARGEST_INTEGER: i64 = 1 << 40;

/// The significant digits, within the range, of the real values that a search proposes: more digits would only be noise
/// in tables, and the printed value should be the one that was evaluated.
const DIGITS: i32 = 6;

/// The coordinate of the only value of a constant dimension.
const MIDDLE: f64 = 0.5;

/// The values that a hyperparameter may take. Both ends belong to a range; equal ends make a constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Dimension {
    /// A real number.
    Real {
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
        /// Whether ratios matter rather than differences.
        log: bool,
    },
    /// A whole number.
    Integer {
        /// The smallest value.
        low: i64,
        /// The largest value.
        high: i64,
        /// Whether ratios matter rather than differences.
        log: bool,
    },
    /// One of several names, which have no order.
    Choice(Vec<String>),
}

/// How far apart two coordinates of a dimension are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Numbers: the squared difference.
    Ordered,
    /// Names: 0 if equal and 1 if not, as between one-hot vectors divided by the square root of 2.
    Unordered,
}

impl Axis {
    /// The squared distance along this axis.
    pub fn squared_gap(self, a: f64, b: f64) -> f64 {
        match self {
            Axis::Ordered => (a - b) * (a - b),
            Axis::Unordered => f64::from(u8::from(a != b)),
        }
    }
}

impl Dimension {
    /// A real number on the linear scale.
    pub const fn real(low: f64, high: f64) -> Dimension {
        Dimension::Real { low, high, log: false }
    }

    /// A real number on the logarithmic scale.
    pub const fn log_real(low: f64, high: f64) -> Dimension {
        Dimension::Real { low, high, log: true }
    }

    /// A whole number on the linear scale.
    pub const fn integer(low: i64, high: i64) -> Dimension {
        Dimension::Integer { low, high, log: false }
    }

    /// A whole number on the logarithmic scale.
    pub const fn log_integer(low: i64, high: i64) -> Dimension {
        Dimension::Integer { low, high, log: true }
    }

    /// One of several names.
    pub fn choice<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Dimension {
        Dimension::Choice(names.into_iter().map(Into::into).collect())
    }

    /// The number of values, if it is finite.
    pub fn size(&self) -> Option<u64> {
        match self {
            Dimension::Real { low, high, .. } => (low == high).then_some(1),
            Dimension::Integer { low, high, .. } => Some(low.abs_diff(*high) + 1),
            Dimension::Choice(names) => Some(names.len() as u64),
        }
    }

    /// How coordinates are compared.
    pub fn axis(&self) -> Axis {
        match self {
            Dimension::Choice(_) => Axis::Unordered,
            Dimension::Real { .. } | Dimension::Integer { .. } => Axis::Ordered,
        }
    }

    /// Whether a value is of the right kind and within the range.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Dimension::Real { low, high, .. }, Value::Real(x)) => low <= x && x <= high,
            (Dimension::Integer { low, high, .. }, Value::Integer(x)) => low <= x && x <= high,
            (Dimension::Choice(names), Value::Choice(name)) => names.contains(name),
            _ => false,
        }
    }

    /// The coordinate of a value; `None` if the dimension does not contain it.
    pub fn to_unit(&self, value: &Value) -> Option<f64> {
        match (self, value) {
            _ if !self.contains(value) => None,
            (Dimension::Real { low, high, log }, Value::Real(x)) => Some(place(*x, *low, *high, *log)),
            (Dimension::Integer { low, high, log }, Value::Integer(x)) => {
                Some(integer_place(*x, *low, *high, *log))
            }
            (Dimension::Choice(names), Value::Choice(name)) => {
                names.iter().position(|known| known == name).map(|i| (i as f64 + 0.5) / names.len() as f64)
            }
            _ => None,
        }
    }

    /// The value at a coordinate, which is clamped to [0, 1]; real values are rounded to a few digits.
    pub fn at_unit(&self, unit: f64) -> Value {
        match self {
            Dimension::Real { low, high, log } => Value::Real(real_at(unit, *low, *high, *log)),
            Dimension::Integer { low, high, log } => Value::Integer(integer_at(unit, *low, *high, *log)),
            Dimension::Choice(names) => Value::Choice(names[choice_at(unit, names.len())].clone()),
        }
    }

    /// The coordinate of the value at a coordinate: the centre of the cell for integers and names, and the coordinate
    /// itself, clamped, for reals.
    pub fn snap(&self, unit: f64) -> f64 {
        match self {
            Dimension::Real { low, high, .. } if low == high => MIDDLE,
            Dimension::Real { .. } => unit.clamp(0.0, 1.0),
            Dimension::Integer { low, high, log } => {
                integer_place(integer_at(unit, *low, *high, *log), *low, *high, *log)
            }
            Dimension::Choice(names) => (choice_at(unit, names.len()) as f64 + 0.5) / names.len() as f64,
        }
    }

    /// The value with a number, counted from 0 and from `low`; the number must be below [`Dimension::size`].
    pub(crate) fn nth(&self, index: u64) -> Value {
        match self {
            Dimension::Real { low, .. } => Value::Real(*low),
            Dimension::Integer { low, .. } => Value::Integer(low.saturating_add_unsigned(index)),
            Dimension::Choice(names) => Value::Choice(names[index as usize].clone()),
        }
    }

    /// Reads a value as it is printed.
    pub(crate) fn parse(&self, text: &str) -> Option<Value> {
        let value = match self {
            Dimension::Real { .. } => Value::Real(text.parse().ok()?),
            Dimension::Integer { .. } => Value::Integer(text.parse().ok()?),
            Dimension::Choice(_) => Value::Choice(text.to_owned()),
        };
        self.contains(&value).then_some(value)
    }

    /// Whether the range makes sense.
    pub(crate) fn check(&self, name: &str) -> Result<(), SpaceError> {
        match self {
            Dimension::Real { low, high, log } => check_real(name, *low, *high, *log),
            Dimension::Integer { low, high, log } => check_integer(name, *low, *high, *log),
            Dimension::Choice(choices) => check_choices(name, choices),
        }
    }
}

fn check_real(name: &str, low: f64, high: f64, log: bool) -> Result<(), SpaceError> {
    let dimension = name.to_owned();
    // The width, by which coordinates are divided, is finite only if both ends are.
    if !(high - low).is_finite() {
        return Err(SpaceError::NotFinite { dimension, low, high });
    }
    if low > high {
        return Err(SpaceError::Reversed { dimension, low: low.to_string(), high: high.to_string() });
    }
    if log && low <= 0.0 {
        return Err(SpaceError::LogOfNothing { dimension, low: low.to_string() });
    }
    Ok(())
}

fn check_integer(name: &str, low: i64, high: i64, log: bool) -> Result<(), SpaceError> {
    let dimension = name.to_owned();
    if low > high {
        return Err(SpaceError::Reversed { dimension, low: low.to_string(), high: high.to_string() });
    }
    if log && low <= 0 {
        return Err(SpaceError::LogOfNothing { dimension, low: low.to_string() });
    }
    match [low, high].into_iter().find(|end| end.unsigned_abs() > LARGEST_INTEGER.unsigned_abs()) {
        Some(value) => Err(SpaceError::TooLarge { dimension, value, largest: LARGEST_INTEGER }),
        None => Ok(()),
    }
}

fn check_choices(name: &str, choices: &[String]) -> Result<(), SpaceError> {
    let dimension = name.to_owned();
    if choices.is_empty() {
        return Err(SpaceError::NoChoice { dimension });
    }
    for (i, choice) in choices.iter().enumerate() {
        if !is_word(choice) {
            return Err(SpaceError::NotAWord { name: choice.clone() });
        }
        if choices[..i].contains(choice) {
            return Err(SpaceError::RepeatedChoice { dimension, choice: choice.clone() });
        }
    }
    Ok(())
}

/// Whether a name can be used in `name=value name=value`.
pub(crate) fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c == '=' || c.is_whitespace() || c.is_control())
}

/// The place of x between the ends of an interval.
fn place(x: f64, low: f64, high: f64, log: bool) -> f64 {
    if low == high {
        MIDDLE
    } else if log {
        ((x.ln() - low.ln()) / (high.ln() - low.ln())).clamp(0.0, 1.0)
    } else {
        (x - low) / (high - low)
    }
}

/// The number at a place between the ends of an interval.
fn interpolate(unit: f64, low: f64, high: f64, log: bool) -> f64 {
    let unit = unit.clamp(0.0, 1.0);
    if log { (low.ln() + unit * (high.ln() - low.ln())).exp() } else { low + unit * (high - low) }
}

fn real_at(unit: f64, low: f64, high: f64, log: bool) -> f64 {
    let exact = interpolate(unit, low, high, log).clamp(low, high);
    let scale = if log { exact } else { high - low };
    shorten(exact, scale).clamp(low, high)
}

/// Rounds to [`DIGITS`] digits of a scale.
fn shorten(x: f64, scale: f64) -> f64 {
    if x == 0.0 || scale == 0.0 {
        return x;
    }
    let magnitude = |x: f64| x.abs().log10().floor() as i32;
    let digits = (DIGITS - 1 + magnitude(x) - magnitude(scale)).clamp(0, 17) as usize;
    format!("{x:.digits$e}").parse().unwrap_or(x)
}

fn integer_place(x: i64, low: i64, high: i64, log: bool) -> f64 {
    place(x as f64, low as f64 - 0.5, high as f64 + 0.5, log)
}

fn integer_at(unit: f64, low: i64, high: i64, log: bool) -> i64 {
    let exact = interpolate(unit, low as f64 - 0.5, high as f64 + 0.5, log);
    // Rounds halves up, so that a cell includes its lower end but not its upper one.
    ((exact + 0.5).floor() as i64).clamp(low, high)
}

fn choice_at(unit: f64, count: usize) -> usize {
    ((unit.clamp(0.0, 1.0) * count as f64) as usize).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_end_of_the_cube_is_the_last_name() {
        let names = Dimension::choice(["a", "b", "c"]);
        for (unit, name, centre) in [(-1.0, "a", 1.0), (0.5, "b", 3.0), (1.0, "c", 5.0), (7.0, "c", 5.0)] {
            assert_eq!(names.at_unit(unit), Value::from(name));
            assert_eq!(names.snap(unit), centre / 6.0);
        }
    }

    #[test]
    fn a_constant_has_one_value_and_one_coordinate() {
        for constant in [Dimension::real(3.0, 3.0), Dimension::log_real(3.0, 3.0)] {
            for unit in [0.0, 0.3, 1.0] {
                assert_eq!(constant.at_unit(unit), Value::Real(3.0));
                assert_eq!(constant.snap(unit), MIDDLE);
            }
        }
        // Zero within a wide range is not a constant, but has no digits to round either.
        assert_eq!(Dimension::real(-1e9, 1e9).at_unit(0.5), Value::Real(0.0));
    }

    #[test]
    fn proposals_are_rounded_to_six_digits_of_their_range_by_hand() {
        let at = |dimension: Dimension, unit: f64| dimension.at_unit(unit).to_string();
        assert_eq!(at(Dimension::real(0.0, 1.0), 0.123_456_789), "0.12346");
        assert_eq!(at(Dimension::real(0.0, 1000.0), 0.123_456_789), "123.46");
        assert_eq!(at(Dimension::real(1e6, 1e6 + 1.0), 0.123_456_789), "1000000.12346");
        // The square roots of 10 and of a thousandth: on this scale the value itself has six digits.
        assert_eq!(at(Dimension::log_real(1.0, 100.0), 0.25), "3.16228");
        assert_eq!(at(Dimension::log_real(1e-3, 1.0), 0.5), "0.0316228");
    }
}
