use super::*;

/// Two classes of points on a line, in turn: 0, 1, 2, ... and the same points far away.
fn two_runs(points: usize) -> Dataset {
    let value = |row: usize| (row / 2 + row % 2 * 1_000_000) as f64;
    let labels = Labels::encode((0..points).map(|row| row % 2));
    let values = (0..points).flat_map(|row| [value(row), (row % 7) as f64]).collect::<Vec<f64>>();
    Dataset::new("d", vec!["x".into(), "y".into()], values, labels).unwrap()
}

fn evidence(points: usize, change: impl Fn(&mut ScoreSettings)) -> Evidence {
    let mut dataset = two_runs(points);
    let mut settings = ScoreSettings::new(vec![find("clm").unwrap()]);
    change(&mut settings);
    let as_read = AsRead::of(&dataset, &settings);
    dataset.scale(settings.scale);
    let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
    let evaluation = clmatch::evaluate(&classes, &settings.measures).unwrap();
    gather(&dataset, as_read, &settings, None, &classes, &evaluation, Control::none()).unwrap()
}

#[test]
fn an_interval_is_computed_up_to_1000_points_unless_it_is_wanted_anyway() {
    assert!(evidence(FEW_POINTS, |_| ()).interval.is_some());
    assert!(evidence(FEW_POINTS + 1, |_| ()).interval.is_none());
    assert!(evidence(100, |settings| settings.uncertainty.intervals = true).interval.is_none());
}

#[test]
fn the_other_scaling_is_tried_up_to_20000_points() {
    assert_eq!(evidence(TRIED, |_| ()).rescaled.unwrap().scale, Scale::Standard);
    assert_eq!(evidence(TRIED + 1, |_| ()).rescaled, None);
    let standard = |settings: &mut ScoreSettings| settings.scale = Scale::Standard;
    let other = evidence(100, standard).rescaled.unwrap();
    let as_is = evidence(100, |_| ());
    // Scaling back from the numbers as read gives the same score as scaling directly.
    let mut dataset = two_runs(100);
    dataset.scale(Scale::MaxAbs);
    let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
    assert_eq!((other.scale, Some(other.clm)), (Scale::MaxAbs, clm_of(&classes, Control::none()).unwrap()));
    assert!(as_is.rescaled.is_some() && evidence(TRIED + 1, standard).rescaled.is_none());
}

#[test]
fn features_with_few_values_and_equal_rows_are_counted() {
    let few = |column: [fn(usize) -> f64; 2], rows: usize| {
        let values: Vec<f64> = (0..rows).flat_map(|row| column.map(|of| of(row))).collect();
        let labels = Labels::encode((0..rows).map(|row| row % 2));
        let dataset = Dataset::new("d", vec!["x".into(), "y".into()], values, labels).unwrap();
        few_valued(&Classes::new(dataset.points(), dataset.labels()).unwrap())
    };
    assert_eq!(few([|row| row as f64, |row| (row % 10) as f64], 12), 1);
    assert_eq!(few([|row| row as f64, |row| (row % 11) as f64], 12), 0);
    assert_eq!(few([|_| 1.0, |row| (row % 2) as f64], 12), 2);
    assert_eq!(evidence(100, |_| ()).equal_rows, Some(0.0));
}
