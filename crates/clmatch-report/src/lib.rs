//! Finished numbers to what people read: Markdown, CSV, and SVG that stands alone, on light and on dark ground.

mod axis;
pub mod csv;
mod line_plot;
pub mod markdown;
pub mod number;

pub use line_plot::{Line, LinePlot, Mark};
