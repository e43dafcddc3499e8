//! Tests of the measuring core.

mod datasets;
mod degenerate;
mod hand_worked;
mod laws;
mod numerics;
mod points;
mod protocols;
mod rousseeuw;
mod twins;
mod twins_agree;
