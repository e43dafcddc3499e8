//! Logistic growth rates k of protocol T4, each with where it comes from.

/// Where a growth rate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Calibrated by Jeon et al. (TPAMI 2025) with human judgements of separability, as their program has it.
    Published,
    /// Their constant, rewritten for a formula that differs by a factor.
    Converted(&'static str),
    /// Calibrated by transfer from the human-calibrated CH_A.
    Transferred(&'static str),
}

/// A growth rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct K {
    /// Which variant it belongs to: the base measure and the protocols that are on.
    pub variant: &'static str,
    /// The growth rate.
    pub value: f64,
    /// Where it comes from.
    pub provenance: Provenance,
}

const fn published(variant: &'static str, value: f64) -> K {
    K { variant, value, provenance: Provenance::Published }
}

/// The authors' program divides by |C| = 2 where the paper divides by |C| - 1 = 1, and was calibrated so.
const HALVED: Provenance =
    Provenance::Converted("half of 4.432010535838295, which goes with a division by 2");

impl K {
    /// CH with D, S and R: `ch_a`, and `ch_c`, which estimates the same quantity without bias.
    pub const CH: K = K { variant: "CH DSR", value: 2.2160052679191475, provenance: HALVED };
    /// CH with R.
    pub const CH_R: K = published("CH R", 0.0015492533420772602);
    /// CH with D and R.
    pub const CH_DR: K = published("CH DR", 1.5498422867781867);
    /// CH with S and R.
    pub const CH_SR: K = published("CH SR", 0.002196813499556801);
    /// DI with D, S and R: `di_a`.
    pub const DI: K = published("DI DSR", 0.40019810656179045);
    /// DI with R.
    pub const DI_R: K = published("DI R", 2980.573789948166);
    /// DI with S and R.
    pub const DI_SR: K = published("DI SR", 18039.038395458672);
    /// DI with D and R.
    pub const DI_DR: K = published("DI DR", 1.269);
    /// II with R.
    pub const II_R: K = published("II R", 0.1078);
    /// II or XB with S and R: `xb_a`.
    pub const XB: K = published("XB SR", 0.29289310158571386);
    /// DB with R.
    pub const DB_R: K = published("DB R", 1.1583908441240243);
    /// DB with S and R: `db_a`.
    pub const DB: K = published("DB SR", 2.4831185988914117);
    /// `db_c`, until it is calibrated on two-Gaussian datasets.
    pub const DB_C: K = K {
        variant: "DB SR, unbiased",
        value: 0.49,
        provenance: Provenance::Transferred("preliminary: matched by eye to CH_A, to be replaced by a fit"),
    };

    /// Every growth rate. XB with R alone has none yet: give your own to [`t4`](crate::protocol::TakesT4::t4).
    pub const ALL: [K; 13] = [
        K::CH,
        K::CH_R,
        K::CH_DR,
        K::CH_SR,
        K::DI,
        K::DI_R,
        K::DI_SR,
        K::DI_DR,
        K::II_R,
        K::XB,
        K::DB_R,
        K::DB,
        K::DB_C,
    ];
}

/// A bare growth rate of the caller's own.
impl From<K> for f64 {
    fn from(k: K) -> f64 {
        k.value
    }
}
