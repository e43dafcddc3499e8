//! Turns finished results into what people read: tables for the terminal, Markdown, CSV and JSON, SVG figures that stand alone,
//! and HTML pages. Nothing is computed here.

pub mod charts;
pub mod csv;
mod features;
pub mod markdown;
pub mod method_scores;
pub mod number;
pub mod pages;
mod table;
mod visible;
mod wrap;

pub use charts::{
    Bars, Boxes, Bump, Columns, Group, IntervalLine, IntervalLines, IntervalPoint, Line, LinePlot, Link,
    Links, Mark, Panel, PanelPoint, Panels, Ranks, Row, Scatter, Series, Strip, Strips,
};
pub use features::feature_line;
pub use table::{Cell, Column, Table, shorten};
pub use visible::{is_hidden, visible};
pub use wrap::wrap;
