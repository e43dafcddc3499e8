//! SVG figures that stand alone, on light and dark backgrounds, and charts of pages ([`page`]).

mod axis;
mod bars;
mod boxes;
mod bump;
mod canvas;
mod colour;
mod frame;
mod interval_lines;
mod label_placement;
mod legend;
mod line_plot;
mod links;
pub mod page;
mod panels;
mod quartiles;
mod scale;
mod scatter;
mod shape;
mod strips;
#[cfg(test)]
mod svg_check;
mod text;

pub use bars::{Bars, Series};
pub use boxes::{Boxes, Row};
pub use bump::{Bump, Ranks};
pub use interval_lines::{IntervalLine, IntervalLines, IntervalPoint};
pub use line_plot::{Line, LinePlot, Mark};
pub use links::{Link, Links};
pub use panels::{Panel, PanelPoint, Panels};
pub use scatter::{Group, Scatter};
pub use strips::{Columns, Strip, Strips};
