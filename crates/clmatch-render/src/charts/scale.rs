//! Maps numbers to places on the page.

use crate::charts::axis::{label, linear_ticks, log_ticks};

/// Beyond this, the span of two values might no longer be a number.
const LARGEST: f64 = 1e299;

/// The visible part of an axis, and its ticks.
#[derive(Debug, Clone)]
pub(crate) struct AxisSpan {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<f64>,
}

impl AxisSpan {
    /// The range from tick to tick around all values.
    pub(crate) fn round(values: impl Iterator<Item = f64>, about: usize) -> Self {
        let (low, high) = range(values.filter(|value| drawable(*value, false)));
        let ticks = linear_ticks(low, high, about);
        Self { low: ticks[0], high: ticks[ticks.len() - 1], log: false, ticks }
    }

    /// The range from the lowest to the highest value, with the ticks in between.
    pub(crate) fn tight(values: impl Iterator<Item = f64>, about: usize) -> Self {
        let (low, high) = range(values.filter(|value| drawable(*value, false)));
        let ticks = linear_ticks(low, high, about);
        let ticks = ticks.into_iter().filter(|tick| (low..=high).contains(tick)).collect();
        Self { low, high, log: false, ticks }
    }

    /// The range from the lowest to the highest value above zero, on a logarithmic scale.
    pub(crate) fn log(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = range(values.filter(|value| drawable(*value, true)));
        // Without values above zero, the range is from 0.1 to 1.
        let low = if low > 0.0 { low } else { 0.1 };
        Self { low, high, log: true, ticks: log_ticks(low, high) }
    }

    /// Widened to whole powers of ten, with ticks at these only.
    pub(crate) fn by_powers(self) -> Self {
        let power = |exponent: f64| 10.0_f64.powf(exponent);
        let (low, high) = (self.low.log10().floor(), self.high.log10().ceil());
        let ticks =
            log_ticks(power(low), power(high)).into_iter().filter(|tick| tick.log10().fract().abs() < 1e-9);
        Self { low: power(low), high: power(high), log: true, ticks: ticks.collect() }
    }

    /// The range from 1 to a count, with ticks at whole numbers.
    pub(crate) fn count(last: usize) -> Self {
        let high = last.max(1) as f64;
        let ticks = linear_ticks(1.0, high, 10);
        let ticks = ticks.into_iter().filter(|tick| (1.0..=high).contains(tick) && tick.fract() == 0.0);
        Self { low: 1.0, high, log: false, ticks: ticks.collect() }
    }

    /// Both ends.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The labels of the ticks.
    pub(crate) fn labels(&self) -> impl Iterator<Item = String> {
        self.ticks.iter().map(|tick| label(*tick))
    }

    /// Lays the span out on the page: `low` at `from` and `high` at `to`.
    pub(crate) fn laid(self, from: f64, to: f64) -> Scale {
        Scale { span: self, from, to }
    }
}

/// A span laid out on the page.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    span: AxisSpan,
    from: f64,
    to: f64,
}

impl Scale {
    /// The place of a value; `None` if it is not a number, or not above zero on a logarithmic axis.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let AxisSpan { low, high, log, .. } = self.span;
        let (low, high, at) = if log { (low.ln(), high.ln(), value.ln()) } else { (low, high, value) };
        let share = if high > low { (at - low) / (high - low) } else { 0.5 };
        let place = self.from + share * (self.to - self.from);
        drawable(value, log).then_some(place)
    }

    /// The places of the ticks, with their labels.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.span.ticks.iter().filter_map(|tick| Some((self.place(*tick)?, label(*tick))))
    }

    /// Both ends of the visible range.
    pub(crate) fn ends(&self) -> (f64, f64) {
        self.span.ends()
    }
}

/// Whether a value has a place on an axis.
pub(crate) fn drawable(value: f64, log: bool) -> bool {
    value.abs() <= LARGEST && (!log || value > 0.0)
}

/// The lowest and the highest value; 0 and 1 if there are none.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let wide = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if wide.0 <= wide.1 { wide } else { (0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_hand() {
        let scale = AxisSpan::round([0.1, 0.9].into_iter(), 5).laid(100.0, 0.0);
        assert_eq!(scale.ends(), (0.0, 1.0));
        assert_eq!(scale.place(0.25), Some(75.0));
        let scale = AxisSpan::tight([1.0, 5.0].into_iter(), 4).laid(0.0, 8.0);
        assert_eq!((scale.place(1.0), scale.place(2.0)), (Some(0.0), Some(2.0)));
        let scale = AxisSpan::log([-3.0, 1.0, 100.0].into_iter()).laid(0.0, 8.0);
        let tenth = scale.place(10.0).unwrap();
        assert!((tenth - 4.0).abs() < 1e-12, "{tenth}");
    }

    #[test]
    fn what_has_no_place_gets_none() {
        let plain = AxisSpan::round([0.0, 1.0].into_iter(), 5).laid(0.0, 1.0);
        for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308] {
            assert_eq!(plain.place(value), None);
        }
        let log = AxisSpan::log([].into_iter()).laid(0.0, 1.0);
        assert_eq!((log.place(0.0), log.place(-1.0), log.place(1.0)), (None, None, Some(1.0)));
    }

    #[test]
    fn counts_have_whole_ticks() {
        assert_eq!(AxisSpan::count(3).labels().collect::<Vec<_>>(), ["1", "2", "3"]);
        assert_eq!(AxisSpan::count(0).labels().collect::<Vec<_>>(), ["1"]);
        assert_eq!(AxisSpan::count(92).labels().last().as_deref(), Some("90"));
    }
}
