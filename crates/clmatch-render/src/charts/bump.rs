//! Ranks that change from stage to stage.

use crate::charts::canvas::{Canvas, MARGIN, Place, TOP, path, tip};
use crate::charts::colour::{colour, late_dash};
use crate::charts::frame::{PlotFrame, WIDTH};
use crate::charts::label_placement::{Bounds, spread_labels};
use crate::charts::legend::Legend;
use crate::charts::scale::{AxisSpan, Scale, drawable};
use crate::charts::text::{Anchor, widest};
use crate::number::significant;

/// The approximate distance from one line to the next.
const ROW: f64 = 26.0;
/// If names were closer than this, they would touch.
const NAME: f64 = 16.0;
/// The distance between tied dots, if there is room.
const TIED: f64 = 7.0;
/// The largest width of a name.
const LONGEST: f64 = 190.0;
/// The distance between a dot and its rank.
const GAP: f64 = 22.0;
/// The distance between a rank and its name.
const BLANK: f64 = 10.0;
/// Room for the names of the stages.
const STAGES: f64 = 26.0;
/// Significant digits of a rank.
const DIGITS: usize = 3;

/// The ranks of one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// The name, at both ends of the line.
    pub name: String,
    /// The rank at each stage, 1 for the best; one that is not finite leaves a gap.
    pub ranks: Vec<f64>,
    /// Notes beside the name at the first and at the last stage, in brackets; an empty one is left out.
    pub notes: [String; 2],
}

impl Ranks {
    /// The name with its note.
    fn label(&self, side: Side) -> String {
        match &self.notes[side as usize] {
            note if note.is_empty() => self.name.clone(),
            note => format!("{} ({note})", self.name),
        }
    }
}

/// Ranks at some stages, the best at the top, joined by lines.
///
/// Tied things lie side by side around their rank, so that each can be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Bump {
    /// The title above the plot.
    pub title: String,
    /// The names of the stages, from left to right.
    pub stages: Vec<String>,
    /// The lines.
    pub lines: Vec<Ranks>,
}

/// The dots of one stage: one for each line that has a rank there.
type Stage = Vec<Option<Place>>;

impl Bump {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let frame = self.frame();
        let ranks = self.lines.iter().flat_map(|line| line.ranks.iter().copied());
        let down = AxisSpan::tight(ranks, 1).laid(frame.top, frame.bottom);
        let stages: Vec<Stage> = (0..self.count()).map(|stage| self.dots(stage, &frame, &down)).collect();
        let page = PlotFrame { left: MARGIN, right: WIDTH - MARGIN, ..frame };
        let mut canvas = page.page(&self.title, ROW, &Legend::new(&[], page.width()));
        self.write_stages(&mut canvas, &frame);
        for (at, line) in self.lines.iter().enumerate() {
            let places = || stages.iter().map(|stage| stage[at]);
            canvas.add(format_args!("<g>{}", tip(&line.name)));
            canvas.line(&path(places()), colour(at), late_dash(at));
            places().flatten().for_each(|place| canvas.dot(place, 4.0, colour(at)));
            canvas.add("</g>");
        }
        self.write_names(&mut canvas, &stages[0], 0, &frame, Side::Left);
        self.write_names(&mut canvas, &stages[stages.len() - 1], stages.len() - 1, &frame, Side::Right);
        canvas.finish()
    }

    /// The number of stages: as many as have a name or a rank, and at least one.
    fn count(&self) -> usize {
        let ranked = self.lines.iter().map(|line| line.ranks.len()).fold(0, usize::max);
        ranked.max(self.stages.len()).max(1)
    }

    /// The rectangle of the dots, between the names.
    fn frame(&self) -> PlotFrame {
        let names: Vec<String> =
            self.lines.iter().flat_map(|line| [line.label(Side::Left), line.label(Side::Right)]).collect();
        let names = widest(names.iter().map(String::as_str)).min(LONGEST);
        let side = MARGIN + names + self.rank_room() + GAP;
        let top = TOP + STAGES;
        let rows = self.lines.len().max(2) - 1;
        PlotFrame { left: side, right: WIDTH - side, top, bottom: top + rows as f64 * ROW }
    }

    /// The width of a column of ranks, and the room beside it.
    fn rank_room(&self) -> f64 {
        let ranks = self.lines.iter().flat_map(|line| line.ranks.iter().copied());
        let shown = ranks.filter(|rank| drawable(*rank, false));
        let labels: Vec<String> = shown.map(|rank| significant(rank, DIGITS)).collect();
        widest(labels.iter().map(String::as_str)) + BLANK
    }

    fn stage_x(&self, stage: usize, frame: &PlotFrame) -> f64 {
        match self.count() {
            1 => (frame.left + frame.right) / 2.0,
            count => frame.left + stage as f64 / (count - 1) as f64 * frame.width(),
        }
    }

    fn dots(&self, stage: usize, frame: &PlotFrame, down: &Scale) -> Stage {
        let x = self.stage_x(stage, frame);
        let rank = |line: &Ranks| line.ranks.get(stage).copied();
        let places: Vec<Option<f64>> =
            self.lines.iter().map(|line| rank(line).and_then(|rank| down.place(rank))).collect();
        let moved = |(at, place): (usize, &Option<f64>)| {
            let place = (*place)?;
            let tied: Vec<usize> = (0..places.len()).filter(|other| places[*other] == Some(place)).collect();
            // Many tied dots move closer, to stay within their row.
            let step = TIED.min((ROW - 4.0) / tied.len() as f64);
            let before = tied.iter().filter(|other| **other < at).count() as f64;
            Some((x, place + step * (before - (tied.len() - 1) as f64 / 2.0)))
        };
        places.iter().enumerate().map(moved).collect()
    }

    fn write_stages(&self, canvas: &mut Canvas, frame: &PlotFrame) {
        let (top, bottom) = (frame.top - 10.0, frame.bottom + 10.0);
        let room = frame.width() / (self.count().max(2) - 1) as f64 - 8.0;
        for stage in 0..self.count() {
            let x = self.stage_x(stage, frame);
            canvas.add(format_args!(r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#));
            let name = self.stages.get(stage).map_or("", String::as_str);
            canvas.text_within((x, top - 8.0), Anchor::Middle, room, name);
        }
    }

    /// Writes ranks and names beside the dots of a stage, kept apart, each with a line to its dot.
    fn write_names(&self, canvas: &mut Canvas, dots: &Stage, stage: usize, frame: &PlotFrame, side: Side) {
        let named: Vec<(usize, Place)> =
            dots.iter().enumerate().filter_map(|(at, dot)| Some((at, (*dot)?))).collect();
        let places: Vec<f64> = named.iter().map(|(_, dot)| dot.1).collect();
        let bounds = Bounds { low: frame.top - 4.0, high: frame.bottom + 4.0 };
        for (&(at, (x, y)), to) in named.iter().zip(spread_labels(&places, NAME, bounds)) {
            let line = &self.lines[at];
            let rank = significant(line.ranks[stage], DIGITS);
            let (out, anchor) = match side {
                Side::Left => (-1.0, Anchor::End),
                Side::Right => (1.0, Anchor::Start),
            };
            canvas.add(format_args!(
                r#"<path stroke="{}" stroke-opacity=".6" fill="none" d="M{:.1} {y:.1}L{:.1} {to:.1}"/>"#,
                colour(at),
                x + out * 5.0,
                x + out * (GAP - 5.0)
            ));
            canvas.text((x + out * GAP, to + 4.0), anchor, &rank);
            canvas.text_within(
                (x + out * (GAP + self.rank_room()), to + 4.0),
                anchor,
                LONGEST,
                &line.label(side),
            );
        }
    }
}

/// The side on which names are written.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn bump(lines: &[&[f64]]) -> Bump {
        let line = |(at, ranks): (usize, &&[f64])| Ranks {
            name: format!("<m{at}>"),
            ranks: ranks.to_vec(),
            notes: Default::default(),
        };
        Bump {
            title: "a <b> & c".into(),
            stages: vec!["before & now".into(), "after".into()],
            lines: lines.iter().enumerate().map(line).collect(),
        }
    }

    #[test]
    fn the_best_is_on_top() {
        let svg = bump(&[&[1.0, 3.0], &[2.0, 1.0], &[3.0, 2.0]]).svg();
        assert_valid_svg(&svg);
        // Names of 4 letters: 20 + 28 + 10 + 22 and 7 for a rank, 87 at both sides; ranks 26 apart from 70.
        for line in ["M87.0 70.0L633.0 122.0", "M87.0 96.0L633.0 70.0", "M87.0 122.0L633.0 96.0"] {
            assert!(svg.contains(line), "{line} in {svg}");
        }
        for text in [
            r#"x="65.0" y="74.0" text-anchor="end">1<"#,
            r#"x="48.0" y="74.0" text-anchor="end">&lt;m0&gt;<"#,
            r#"x="655.0" y="126.0" text-anchor="start">3<"#,
            r#"x="672.0" y="126.0" text-anchor="start">&lt;m0&gt;<"#,
        ] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
        assert!(svg.contains("before &amp; now"));
    }

    #[test]
    fn notes_stand_beside_the_names() {
        let mut plot = bump(&[&[1.0, 2.0], &[2.0, 1.0]]);
        plot.lines[0].notes = ["0.5".into(), String::new()];
        let svg = plot.svg();
        assert!(svg.contains(r#"text-anchor="end">&lt;m0&gt; (0.5)<"#), "{svg}");
        assert!(svg.contains(r#"text-anchor="start">&lt;m0&gt;<"#), "{svg}");
    }

    #[test]
    fn tied_lines_are_all_seen() {
        let svg = bump(&[&[1.5, 1.5], &[1.5, 1.5], &[3.0, 3.0]]).svg();
        // 1.5 is the lowest rank, at 70: dots 3.5 to both sides of it, names 16 apart.
        assert!(svg.contains("M101.0 66.5L619.0 66.5") && svg.contains("M101.0 73.5L619.0 73.5"), "{svg}");
        assert!(svg.contains(r#"y="70.0" text-anchor="end">&lt;m0&gt;<"#), "{svg}");
        assert!(svg.contains(r#"y="86.0" text-anchor="end">&lt;m1&gt;<"#), "{svg}");
    }

    #[test]
    fn a_missing_rank_leaves_a_gap() {
        let svg = bump(&[&[1.0, f64::NAN, 1.0, 2.0], &[2.0, 1.0]]).svg();
        assert_valid_svg(&svg);
        // Four stages, 182 apart: the line starts again at the third.
        assert!(svg.contains(r#"d="M87.0 70.0M451.0 70.0L633.0 96.0""#), "{svg}");
        // The second line has no name at the right.
        assert_eq!(svg.matches("&lt;m1&gt;").count(), 2, "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        let odd = [f64::NAN, f64::INFINITY, -3.0];
        for lines in [&[][..], &[&[][..]], &[&[1.0]], &[&odd, &[1e299]], &[&[1.0, 1.0][..]; 30]] {
            assert_valid_svg(&bump(lines).svg());
            assert_valid_svg(&Bump { stages: vec![], ..bump(lines) }.svg());
        }
    }
}
