//! Pages that only a server shows: its datasets, the results so far, and forms to request more.

mod benchmark;
mod catalogued;
mod comparison;
mod home;
mod improvement;
mod notice;
mod scored;

pub use benchmark::{form as benchmark_form, page as benchmark_page};
pub use catalogued::page as catalogued_page;
pub use comparison::page as comparison_page;
pub use home::{DatasetRow, HeldView, HomeView, ResultLink, held_page, home_page};
pub use improvement::page as improvement_page;
pub use notice::{Notice, page as notice_page};
pub use scored::page as scored_page;
