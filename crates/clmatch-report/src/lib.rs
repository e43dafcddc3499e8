//! Finished numbers to pictures: SVG that stands alone, readable on light and on dark ground.

mod axis;
mod line_plot;

pub use line_plot::{Line, LinePlot, Mark};
