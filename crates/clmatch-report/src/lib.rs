//! Finished numbers to what people read: tables for the terminal, Markdown, CSV and JSON, and SVG that stands alone, on light and on dark ground.

mod axis;
mod bars;
mod boxes;
mod bump;
mod canvas;
mod colour;
pub mod csv;
mod frame;
mod interval_lines;
mod label_placement;
mod legend;
mod line_plot;
mod links;
pub mod markdown;
pub mod number;
pub mod page;
mod panels;
mod quartiles;
mod scale;
mod scatter;
mod shape;
mod strips;
#[cfg(test)]
mod svg_check;
mod table;
mod text;
mod visible;
mod wrap;

pub use bars::{Bars, Series};
pub use boxes::{Boxes, Row};
pub use bump::{Bump, Ranks};
pub use interval_lines::{IntervalLine, IntervalLines, IntervalPoint};
pub use line_plot::{Line, LinePlot, Mark};
pub use links::{Link, Links};
pub use panels::{Panel, PanelPoint, Panels};
pub use scatter::{Group, Scatter};
pub use strips::{Columns, Strip, Strips};
pub use table::{Cell, Column, Table, shorten};
pub use visible::{is_hidden, visible};
pub use wrap::wrap;
