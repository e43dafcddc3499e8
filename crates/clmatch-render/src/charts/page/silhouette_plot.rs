//! How well each point sits in its class.

use std::fmt::Write;

use super::drawing::SvgDrawing;
use super::point_map::stroke;
use crate::charts::canvas::tip;
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::text::{Anchor, widest};

const WIDTH: f64 = 680.0;
const RIGHT: f64 = 668.0;
const TOP: f64 = 8.0;
/// The height of all classes together, as long as none is too low.
const BODY: f64 = 380.0;
/// The smallest height of a class.
const LOWEST: f64 = 13.0;
/// The gap between two classes.
const GAP: f64 = 3.0;
/// The largest width of a name.
const LONGEST: f64 = 170.0;

/// The silhouettes of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct SilhouetteBlock {
    /// Its name.
    pub name: String,
    /// Its place among all classes, which determines its colour.
    pub class: usize,
    /// How many points it has, which determines its height.
    pub points: usize,
    /// The silhouettes of its points, from the highest to the lowest.
    pub values: Vec<f64>,
    /// The mean silhouette of its points.
    pub mean: f64,
}

/// The silhouettes of all classes, one below the other.
#[derive(Debug, Clone, PartialEq)]
pub struct SilhouettePlot {
    /// The classes, from top to bottom.
    pub blocks: Vec<SilhouetteBlock>,
    /// The mean of all points.
    pub mean: f64,
    /// What the chart shows, in a sentence.
    pub label: String,
}

impl SilhouettePlot {
    /// The chart.
    pub fn svg(&self) -> String {
        let left = widest(self.blocks.iter().map(|block| block.name.as_str())).min(LONGEST) + 14.0;
        let values = self.blocks.iter().flat_map(|block| block.values.iter().copied());
        let across = AxisSpan::round(values.chain([0.0, 1.0]), 8).laid(left, RIGHT);
        let heights = self.heights();
        let body: f64 = heights.iter().map(|height| height + GAP).sum();
        let base = TOP + body + 4.0;
        let mut drawing = SvgDrawing::new(WIDTH, base + 42.0, "silhouettes", &self.label);
        for (x, _) in across.ticks() {
            drawing.add(format_args!(r#"<path class="grid" d="M{x:.1} {TOP}V{base:.1}"/>"#));
        }
        let mut top = TOP;
        for (block, height) in self.blocks.iter().zip(heights) {
            draw_block(&mut drawing, block, &across, top, height);
            let room = left - 12.0;
            drawing.text_within(left - 8.0, top + height / 2.0 + 4.0, Anchor::End, room, &block.name);
            top += height + GAP;
        }
        for (value, kind) in [(0.0, "axis"), (self.mean, "mean")] {
            if let Some(x) = across.place(value) {
                drawing.add(format_args!(r#"<path class="{kind}" d="M{x:.1} {TOP}V{base:.1}"/>"#));
            }
        }
        drawing.axis_below(&across, base, left, RIGHT);
        drawing.text(
            (left + RIGHT) / 2.0,
            base + 35.0,
            Anchor::Middle,
            "silhouette of a point (no unit, -1 to 1)",
        );
        drawing.finish()
    }

    /// The height of each class: in proportion to its points, but never too low to be seen.
    fn heights(&self) -> Vec<f64> {
        let all: usize = self.blocks.iter().map(|block| block.points).sum();
        let share = |block: &SilhouetteBlock| BODY * block.points as f64 / all.max(1) as f64;
        self.blocks.iter().map(|block| share(block).max(LOWEST)).collect()
    }
}

/// The area between zero and the values, from the top of the block to its bottom.
fn draw_block(drawing: &mut SvgDrawing, block: &SilhouetteBlock, across: &Scale, top: f64, height: f64) {
    let Some(zero) = across.place(0.0) else { return };
    let step = height / block.values.len().max(1) as f64;
    let mut path = format!("M{zero:.1} {top:.1}");
    for (at, x) in block.values.iter().enumerate().filter_map(|(at, value)| Some((at, across.place(*value)?)))
    {
        let _ = write!(path, "H{x:.0}V{:.1}", top + step * (at + 1) as f64);
    }
    let _ = write!(path, "H{zero:.1}z");
    let what = format!("{}: {} points, mean silhouette {:.3}", block.name, block.points, block.mean);
    drawing.add(format_args!(
        r#"<path d="{path}" fill="{}" fill-opacity=".8">{}</path>"#,
        stroke(block.class).0,
        tip(&what)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn block(points: usize, values: Vec<f64>) -> SilhouetteBlock {
        SilhouetteBlock { name: "<a>".into(), class: 0, points, values, mean: 0.25 }
    }

    #[test]
    fn areas_lie_where_the_axis_says() {
        let plot = SilhouettePlot {
            blocks: vec![block(300, vec![1.0, 0.5]), block(1, vec![0.0])],
            mean: 0.5,
            label: "silhouettes".into(),
        };
        let svg = plot.svg();
        assert_valid_svg(&svg);
        // Names are 21 wide; 0 to 1 lie between 35 and 668. The small class is 13 high.
        assert!(svg.contains(r#"d="M35.0 8.0H668V197.4H352V386.7H35.0z""#), "{svg}");
        assert!(svg.contains(r#"class="mean" d="M351.5 "#), "{svg}");
        assert!(svg.contains("<title>&lt;a&gt;: 300 points, mean silhouette 0.250</title>"), "{svg}");
        assert_eq!(plot.heights()[1], LOWEST);
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for blocks in [vec![], vec![block(0, vec![])], vec![block(2, vec![f64::NAN, -1.0])]] {
            assert_valid_svg(&SilhouettePlot { blocks, mean: f64::NAN, label: String::new() }.svg());
        }
    }
}
