//! Tests of the measuring core: laws, degenerate geometry, numerics, hand-worked values, slow twins, axioms.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod approximate;
mod axioms;
mod datasets;
mod degenerate;
mod hand_worked;
mod laws;
mod numerics;
mod own_measure;
mod points;
mod protocols;
mod rousseeuw;
#[cfg(feature = "serde")]
mod serialized;
mod shapes;
mod twins;
mod twins_agree;
