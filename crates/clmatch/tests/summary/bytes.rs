//! Bytes that were damaged, cut off or forged.

use clmatch::measure;
use clmatch::summary::{SecondPass, Summary, SummarySettings};
use xxhash_rust::xxh3::xxh3_64;

use super::Data;

/// A few rows, so that every byte can be tried.
fn small() -> (Summary, SecondPass) {
    let data = Data::normal(&[9, 8], 2, 2.0, 1);
    let measures = [measure::find("ch_a").unwrap(), measure::find("xb_a").unwrap()];
    let settings = SummarySettings::new(&measures).with_noise(Some("none".into()));
    let summary = data.summary(&settings, 3, 1);
    let second = data.second(&summary, 3, 1);
    (summary, second)
}

#[test]
fn bytes_come_back_as_they_went() {
    let (summary, second) = small();
    let bytes = summary.to_bytes();
    assert_eq!(Summary::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    let bytes = second.to_bytes();
    assert_eq!(SecondPass::from_bytes(&bytes).unwrap().to_bytes(), bytes);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let (summary, second) = small();
    for (bytes, is_summary) in [(summary.to_bytes(), true), (second.to_bytes(), false)] {
        let is_refused = |bytes: &[u8]| {
            if is_summary {
                Summary::from_bytes(bytes).is_err()
            } else {
                SecondPass::from_bytes(bytes).is_err()
            }
        };
        assert!(!is_refused(&bytes));
        for at in 0..bytes.len() {
            for bit in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bit;
                assert!(is_refused(&damaged), "byte {at} of {}", bytes.len());
            }
            assert!(is_refused(&bytes[..at]), "cut off at {at}");
        }
        assert!(is_refused(&[&bytes[..], &[0]].concat()));
        assert!(is_refused(&bytes.repeat(2)));
    }
}

#[test]
fn forged_bytes_with_a_right_checksum_do_no_harm() {
    let (summary, second) = small();
    for (bytes, is_summary) in [(summary.to_bytes(), true), (second.to_bytes(), false)] {
        let content = bytes.len() - 8;
        for at in 6..content {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut forged = bytes[..content].to_vec();
                forged[at] = value;
                forged.extend(xxh3_64(&forged).to_le_bytes());
                // Refused, or a summary of something: never a panic, and never more memory than there is.
                if is_summary {
                    drop(Summary::from_bytes(&forged).map(|summary| {
                        drop(summary.finish(None, clmatch::Control::none()));
                        summary.to_bytes()
                    }));
                } else {
                    drop(SecondPass::from_bytes(&forged).map(|second| second.to_bytes()));
                }
            }
        }
    }
}

#[test]
fn what_is_not_a_summary_is_said_to_be_none() {
    let (summary, second) = small();
    let error = |bytes: &[u8]| Summary::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(error(b""), "these bytes are no summary: they do not begin as one does");
    assert!(error(&second.to_bytes()).contains("second pass"));
    let mut newer = summary.to_bytes();
    newer[4] = 9;
    assert_eq!(error(&newer), "these bytes are no summary: they are of version 9, and this program reads 1");
    assert!(SecondPass::from_bytes(&summary.to_bytes()).is_err());
}

/// Overwrites bytes from a place on, and puts the matching checksum at the end.
fn forged(bytes: &[u8], at: usize, other: &[u8]) -> Vec<u8> {
    let mut forged = bytes[..bytes.len() - 8].to_vec();
    forged.resize(forged.len().max(at + other.len()), 0);
    forged[at..at + other.len()].copy_from_slice(other);
    forged.extend(xxh3_64(&forged).to_le_bytes());
    forged
}

#[test]
fn numbers_out_of_range_are_named() {
    let (summary, second) = small();
    let (summary, second) = (summary.to_bytes(), second.to_bytes());
    // The number of features follows mark, version and content; a second pass begins with a fingerprint.
    for features in [0_u64, (1 << 28) + 1, u64::MAX] {
        let first = Summary::from_bytes(&forged(&summary, 6, &features.to_le_bytes())).unwrap_err();
        let then = SecondPass::from_bytes(&forged(&second, 14, &features.to_le_bytes())).unwrap_err();
        for error in [first, then] {
            assert!(
                error.to_string().ends_with("the number of features is out of range"),
                "{features}: {error}"
            );
        }
    }
    let name = [&7_u64.to_le_bytes()[..], b"class 1"].concat();
    let place =
        |bytes: &[u8]| bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    for points in [0_u64, (1 << 53) + 1, u64::MAX] {
        let first =
            Summary::from_bytes(&forged(&summary, place(&summary), &points.to_le_bytes())).unwrap_err();
        let then =
            SecondPass::from_bytes(&forged(&second, place(&second), &points.to_le_bytes())).unwrap_err();
        for error in [first, then] {
            assert!(error.to_string().ends_with(&format!("a class has {points} points")), "{error}");
        }
    }
    for points in [1_u64, 1 << 53] {
        assert!(SecondPass::from_bytes(&forged(&second, place(&second), &points.to_le_bytes())).is_ok());
    }
}

#[test]
fn a_second_pass_has_at_most_ten_thousand_classes() {
    let (_, second) = small();
    let second = second.to_bytes();
    // The number of classes stands before the name of the first class, which takes 15 bytes with its length.
    let name = [&7_u64.to_le_bytes()[..], b"class 0"].concat();
    let place = second.windows(name.len()).position(|window| window == name).unwrap() - 8;
    let error = |count: u64| {
        let rest = vec![0; count as usize * 16];
        let bytes = forged(&second, place, &[&count.to_le_bytes()[..], &rest].concat());
        SecondPass::from_bytes(&bytes).unwrap_err().to_string()
    };
    assert!(error(10_001).ends_with("they have 10001 classes"));
    assert!(!error(10_000).contains("they have"));
}
