//! The library's growth rates are those that the recipe yields today.
#![allow(missing_docs)]

use clmatch::calibration::GrowthRate;
use clmatch_kernels::Stop;
use clmatch_lab::calibrate::constants;
use clmatch_lab::calibrate::transfer::Transferred;

const COMMITTED: &str = include_str!("../../clmatch/src/calibration.rs");
/// Growth rates may differ by this share between instruction sets.
const INSTRUCTIONS: f64 = 2e-4;
/// What to do about a difference.
const ADVICE: &str = "run `cargo xtask calibration`";

/// The fits, with all growth rates shifted by a share of their values.
fn moved(transferred: &[Transferred], share: f64) -> Vec<Transferred> {
    let mut moved = transferred.to_vec();
    moved.iter_mut().for_each(|one| one.fit.k *= 1.0 + share);
    moved
}

/// Splits a text into pieces of words and of numbers, which may differ in the last digit.
fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(|letter: char| !(letter.is_ascii_alphanumeric() || ".-_".contains(letter))).collect()
}

/// Whether two words are equal, or are decimal fractions that differ by one in the last place.
fn same(a: &str, b: &str) -> bool {
    let trimmed = |word: &str| word.trim_end_matches(|letter: char| !letter.is_ascii_digit()).to_owned();
    let (number, other) = (trimmed(a), trimmed(b));
    let place = |word: &str| word.split_once('.').map(|(_, decimals)| decimals.len());
    match (number.parse::<f64>(), other.parse::<f64>(), place(&number), place(&other)) {
        _ if a == b => true,
        (Ok(x), Ok(y), Some(places), Some(others)) => {
            (x - y).abs() < 1.5 * 10_f64.powi(-(places.min(others) as i32))
        }
        _ => false,
    }
}

#[test]
fn the_committed_file_is_what_the_recipe_gives() {
    let transferred = constants::transfer(&Stop::new()).unwrap();
    let fresh = constants::source(&transferred);
    let (found, expected) = (words(COMMITTED), words(&fresh));
    assert_eq!(found.len(), expected.len(), "{ADVICE}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!(same(found, expected), "'{found}' should be '{expected}': {ADVICE}");
    }
    // A rounded growth rate must be the rounding of a number as close to the fresh one as instruction sets allow.
    let near = [-INSTRUCTIONS, 0.0, INSTRUCTIONS].map(|share| constants::source(&moved(&transferred, share)));
    for one in &transferred {
        assert!(!one.fit.at_end, "{one:?}");
        let name = one.variant.name();
        let line = |text: &str| {
            let after = text.split(&format!("variant: \"{name}\",")).nth(1).unwrap_or_default();
            after.lines().nth(1).unwrap_or_default().to_owned()
        };
        let committed = line(COMMITTED);
        assert!(committed.contains("value: "), "{name}: {committed}");
        assert!(near.iter().any(|text| line(text) == committed), "{name}: {committed}: {ADVICE}");
        assert!(GrowthRate::ALL.iter().any(|k| k.variant == name));
    }
}

#[test]
fn words_are_compared_as_promised() {
    assert!(same("0.8689,", "0.8690,") && !same("0.8689,", "0.8691,"));
    assert!(
        !same("0)", "1)")
            && !same("GrowthRate::CH,", "GrowthRate::DB,")
            && same("GrowthRate::CH,", "GrowthRate::CH,")
    );
    assert!(!same("1000", "1001"), "counts and seeds must be equal");
}
