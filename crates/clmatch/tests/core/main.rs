//! Tests of the measuring core.

mod datasets;
mod laws;
mod points;
mod rousseeuw;
mod twins;
mod twins_agree;
