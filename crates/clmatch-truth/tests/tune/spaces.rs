//! Spaces, settings, and their coordinates.

use std::collections::HashSet;

use clmatch_truth::tune::{Dimension, SettingError, Space, SpaceError, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::functions::{branin_space, integer_space, mixed_space};

fn one(dimension: Dimension) -> Result<Space, SpaceError> {
    Space::new([("x", dimension)])
}

#[test]
fn ranges_that_make_no_sense_are_refused() {
    let nothing: [(&str, Dimension); 0] = [];
    assert_eq!(Space::new(nothing), Err(SpaceError::NoDimensions));
    assert!(matches!(one(Dimension::real(1.0, 0.0)), Err(SpaceError::Reversed { .. })));
    assert!(matches!(one(Dimension::integer(3, 2)), Err(SpaceError::Reversed { .. })));
    for (low, high) in [(f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
        assert!(matches!(one(Dimension::real(low, high)), Err(SpaceError::NotFinite { .. })), "{low} {high}");
    }
    assert!(matches!(one(Dimension::log_real(0.0, 1.0)), Err(SpaceError::LogOfNothing { .. })));
    assert!(matches!(one(Dimension::log_integer(0, 1)), Err(SpaceError::LogOfNothing { .. })));
    assert!(matches!(one(Dimension::integer(0, i64::MAX)), Err(SpaceError::TooLarge { .. })));
    assert!(matches!(one(Dimension::integer(i64::MIN, 0)), Err(SpaceError::TooLarge { .. })));
    assert!(matches!(one(Dimension::Choice(Vec::new())), Err(SpaceError::NoChoice { .. })));
    assert!(matches!(one(Dimension::choice(["a", "a"])), Err(SpaceError::RepeatedChoice { .. })));
    assert!(matches!(one(Dimension::choice(["a b"])), Err(SpaceError::NotAWord { .. })));
    for name in ["", "a b", "a=b", "a\n"] {
        assert!(matches!(Space::new([(name, Dimension::integer(0, 1))]), Err(SpaceError::NotAWord { .. })));
    }
    let twice = [("x", Dimension::integer(0, 1)), ("x", Dimension::real(0.0, 1.0))];
    assert!(matches!(Space::new(twice), Err(SpaceError::RepeatedName { .. })));
}

#[test]
fn settings_are_read_as_they_are_printed() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let wide = Space::new([("tiny", Dimension::log_real(1e-300, 1e300)), ("n", Dimension::integer(-9, 9))]);
    for space in [mixed_space(), branin_space(), integer_space(), wide.unwrap()] {
        for _ in 0..300 {
            let setting = space.draw(&mut random);
            assert_eq!(space.parse(&setting.to_string()).unwrap(), setting, "{setting}");
            assert!(setting.to_string().len() < 60, "{setting}");
        }
    }
    let setting = mixed_space().parse("shrink=0.5 kernel=rbf depth=8 cost=1e-2").unwrap();
    assert_eq!(setting.to_string(), "kernel=rbf cost=0.01 depth=8 shrink=0.5");
    assert_eq!(setting.choice("kernel"), Some("rbf"));
    assert_eq!((setting.real("cost"), setting.integer("depth")), (Some(0.01), Some(8)));
    assert_eq!((setting.real("depth"), setting.integer("cost"), setting.choice("none")), (None, None, None));
}

#[test]
fn values_that_are_no_setting_are_refused() {
    let space =
        Space::new([("kmax", Dimension::integer(2, 50)), ("tolerance", Dimension::real(0.01, 1.0))]).unwrap();
    assert!(
        matches!(space.parse("kmax=12"), Err(SettingError::Missing { dimension }) if dimension == "tolerance")
    );
    assert!(matches!(space.parse("kmax=12 tolerance=0.3 x=1"), Err(SettingError::Unknown { .. })));
    assert!(matches!(space.parse("kmax=12 tolerance=0.3 kmax=12"), Err(SettingError::Unknown { .. })));
    assert!(matches!(space.parse("kmax 12"), Err(SettingError::Malformed { .. })));
    for text in
        ["kmax=51 tolerance=0.3", "kmax=1.5 tolerance=0.3", "kmax=2 tolerance=NaN", "kmax=2 tolerance=0"]
    {
        assert!(matches!(space.parse(text), Err(SettingError::OutOfRange { .. })), "{text}");
    }
    let wrong_kind = space.setting([("kmax", Value::from(3.0)), ("tolerance", Value::from(0.5))]);
    assert!(matches!(wrong_kind, Err(SettingError::OutOfRange { .. })));
    assert!(space.setting([("tolerance", Value::from(0.5)), ("kmax", Value::from(3))]).is_ok());
}

#[test]
fn integers_and_choices_survive_the_way_through_the_cube() {
    let ranges = [
        Dimension::integer(-7, 13),
        Dimension::log_integer(1, 5000),
        Dimension::log_integer(1_000_000_000_000, 1_000_000_001_000),
        Dimension::integer(1_099_511_626_776, 1_099_511_627_776),
        Dimension::integer(4, 4),
        Dimension::choice(["a", "b", "c"]),
    ];
    for dimension in ranges {
        let space = one(dimension.clone()).unwrap();
        for setting in space.all().unwrap() {
            let unit = space.to_unit(&setting).unwrap();
            assert!((0.0..=1.0).contains(&unit[0]));
            assert_eq!(space.at_unit(&unit), setting);
            assert_eq!(dimension.snap(unit[0]), unit[0], "what the model sees is what is evaluated");
        }
    }
}

#[test]
fn coordinates_have_their_hand_worked_values() {
    let unit = |dimension: Dimension, value: Value| dimension.to_unit(&value).unwrap();
    assert_eq!(unit(Dimension::real(2.0, 4.0), 2.5.into()), 0.25);
    assert!((unit(Dimension::log_real(0.01, 100.0), 0.1.into()) - 0.25).abs() < 1e-15);
    assert_eq!(unit(Dimension::integer(2, 5), 2.into()), 0.125);
    assert_eq!(unit(Dimension::integer(2, 5), 5.into()), 0.875);
    // Between ln 0.5 and ln 8.5, at ln 2.
    let expected = 4_f64.ln() / 17_f64.ln();
    assert!((unit(Dimension::log_integer(1, 8), 2.into()) - expected).abs() < 1e-15);
    assert_eq!(unit(Dimension::choice(["a", "b"]), "b".into()), 0.75);
    assert_eq!(unit(Dimension::real(3.0, 3.0), 3.0.into()), 0.5);
    assert_eq!(Dimension::real(2.0, 4.0).to_unit(&5.0.into()), None);
    assert_eq!(Dimension::integer(2, 5).at_unit(7.0), Value::Integer(5));
    assert_eq!(Dimension::integer(2, 5).at_unit(-7.0), Value::Integer(2));
}

#[test]
fn draws_are_uniform_on_their_scale() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let space = mixed_space();
    let (mut below, mut ends, mut names) = (0, [0; 4], HashSet::new());
    const DRAWS: u32 = 8000;
    let small = one(Dimension::integer(2, 5)).unwrap();
    for _ in 0..DRAWS {
        let setting = space.draw(&mut random);
        below += u32::from(setting.real("cost").unwrap() < 1.0);
        names.insert(setting.choice("kernel").unwrap().to_owned());
        ends[(small.draw(&mut random).integer("x").unwrap() - 2) as usize] += 1;
    }
    // Six standard deviations of a binomial count.
    let near = |count: u32, share: f64| {
        let n = f64::from(DRAWS);
        (f64::from(count) - share * n).abs() < 6.0 * (n * share * (1.0 - share)).sqrt()
    };
    assert!(near(below, 0.5), "{below}");
    assert!(ends.iter().all(|&count| near(count, 0.25)), "{ends:?}");
    assert_eq!(names.len(), 4);
}

#[test]
fn proposals_of_reals_are_short_and_within_range() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let ranges = [
        Dimension::real(0.01, 1.0),
        Dimension::real(1e6, 1e6 + 1.0),
        Dimension::log_real(1e-12, 1e-3),
        Dimension::real(-1e-3, 2e5),
        Dimension::real(0.1 + 0.2, 0.3 + 0.1),
    ];
    for dimension in ranges {
        for _ in 0..500 {
            let u = random.random::<f64>();
            let value = dimension.at_unit(u);
            assert!(dimension.contains(&value), "{value} {dimension:?}");
            assert!((dimension.to_unit(&value).unwrap() - u).abs() < 2e-5, "{value} {dimension:?}");
            assert!(value.to_string().len() <= 17, "{value}");
        }
    }
}

#[test]
fn finite_spaces_are_counted_and_listed() {
    let space = Space::new([
        ("a", Dimension::integer(1, 2)),
        ("b", Dimension::choice(["x", "y", "z"])),
        ("c", Dimension::real(0.5, 0.5)),
    ])
    .unwrap();
    assert_eq!(space.size(), Some(6));
    let all: Vec<String> = space.all().unwrap().map(|setting| setting.to_string()).collect();
    let expected = ["a=1 b=x", "a=1 b=y", "a=1 b=z", "a=2 b=x", "a=2 b=y", "a=2 b=z"];
    assert_eq!(all, expected.map(|text| format!("{text} c=0.5")));
    assert_eq!(space.get(5).unwrap().to_string(), "a=2 b=z c=0.5");
    assert_eq!(space.get(6), None);
    assert_eq!(integer_space().size(), Some(49 * 91));
    assert!(branin_space().size().is_none() && branin_space().all().is_none());
    let huge = Space::new((0..3).map(|i| (format!("x{i}"), Dimension::integer(0, 1 << 30)))).unwrap();
    assert_eq!(huge.size(), None);
}
