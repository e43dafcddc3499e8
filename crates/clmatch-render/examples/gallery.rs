//! Every plot with made-up data, for visual inspection: `cargo run -p clmatch-render --example gallery -- FOLDER`.

use std::path::PathBuf;

use clmatch_render::{
    Bars, Boxes, Bump, Group, IntervalLine, IntervalLines, IntervalPoint, Line, LinePlot, Mark, Ranks, Row,
    Scatter, Series, Strip, Strips,
};

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| std::io::Error::other("give a folder to write the plots into"))?;
    std::fs::create_dir_all(&folder)?;
    for (name, svg) in [
        ("lines", lines().svg()),
        ("scatter", scatter(false).svg()),
        ("scatter-square", scatter(true).svg()),
        ("bars", bars(5, 2).svg()),
        ("bars-one", bars(4, 1).svg()),
        ("bars-many", bars(40, 3).svg()),
        ("boxes", boxes(false).svg()),
        ("boxes-log", boxes(true).svg()),
        ("strips", strips().svg()),
        ("bump", bump().svg()),
        ("bump-ties", bump_with_ties().svg()),
        ("intervals", intervals(5).svg()),
        ("intervals-many", intervals(24).svg()),
    ] {
        std::fs::write(folder.join(format!("{name}.svg")), svg)?;
    }
    Ok(())
}

/// Numbers from 0 to 1 that look random but are always the same.
fn noise(seed: usize, at: usize) -> f64 {
    let wild = ((seed * 7919 + at * 104_729) as f64 * 12.9898).sin() * 43_758.545_3;
    wild - wild.floor()
}

fn lines() -> LinePlot {
    let line = |name: &str, seed| Line {
        name: name.into(),
        points: (1..=12).map(|x| (f64::from(x), noise(seed, 1) * 0.2 + f64::from(x) / 20.0)).collect(),
    };
    LinePlot {
        title: "Lines and marks".into(),
        x: "features kept".into(),
        y: "score".into(),
        lines: (0..5).map(|at| line(&format!("line {at}"), at)).collect(),
        marks: vec![Mark { name: "found".into(), at: (4.0, 0.5), like: 1 }],
        log: false,
    }
}

fn intervals(stages: usize) -> IntervalLines {
    let point = |seed: usize, at: usize| {
        let value = 0.3 + 0.1 * seed as f64 + 0.4 * (at as f64 / stages as f64) + 0.1 * noise(seed, at);
        Some(IntervalPoint { value, interval: Some((value - 0.08, value + 0.06)) })
    };
    let line = |seed: usize| IntervalLine {
        name: ["clm", "ch_a", "sc_a"][seed].into(),
        points: (0..stages).map(|at| point(seed, at)).collect(),
    };
    IntervalLines {
        title: "Scores with intervals at stages in order".into(),
        y: "score".into(),
        stages: (1..=stages).map(|at| format!("encoder layer {at}")).collect(),
        lines: (0..3).map(line).collect(),
    }
}

fn scatter(square: bool) -> Scatter {
    let group = |seed: usize| Group {
        name: ["image", "text", "biology", "physics", "finance", "health", "social", "other"][seed].into(),
        points: (0..12).map(|at| (noise(seed, at), (noise(seed, at) + noise(seed + 9, at)) / 2.0)).collect(),
    };
    Scatter {
        title: "Eight groups, told apart by colour and by shape, below a title that is too long for one line"
            .into(),
        x: "score of one measure".into(),
        y: "score of another".into(),
        groups: (0..8).map(group).collect(),
        diagonal: true,
        square,
    }
}

fn bars(groups: usize, series: usize) -> Bars {
    let name = |at: usize| format!("{} {at}", ["measure", "a rather long measure", "other"][at % 3]);
    let value = |seed, at| if (seed + at) % 7 == 3 { None } else { Some(noise(seed, at) * 1.5 - 0.4) };
    Bars {
        title: format!("{groups} groups of {series}"),
        y: "rank correlation".into(),
        names: (0..groups).map(name).collect(),
        series: (0..series)
            .map(|seed| Series {
                name: format!("series {seed}"),
                values: (0..groups).map(|at| value(seed, at)).collect(),
                ..Series::default()
            })
            .collect(),
        ..Bars::default()
    }
}

fn boxes(log: bool) -> Boxes {
    let row = |at: usize| Row {
        name: format!("{} {at}", ["measure", "a measure with quite a long name", "other"][at % 3]),
        kind: at % 3,
        values: (0..40).map(|i| (3.0 * noise(at, i).powi(3) + 0.2 * at as f64).exp() - 1.0).collect(),
        note: format!("{} of 40", 40 - at),
    };
    Boxes {
        title: "Box plots in rows".into(),
        x: "seconds".into(),
        log,
        kinds: vec!["between datasets".into(), "within a dataset".into(), "classifier".into()],
        rows: (0..14).map(row).collect(),
        points: log,
    }
}

fn strips() -> Strips {
    let strip = |at: usize| {
        let dots: Vec<f64> = (0..9).map(|i| (1.0 - at as f64 / 100.0) * noise(at, i)).collect();
        Strip {
            name: format!("dataset {at}"),
            best: dots.iter().copied().fold(0.0, f64::max),
            dots,
            named: at % 20 == 7,
        }
    };
    Strips {
        title: "What each technique reaches on 92 datasets".into(),
        x: "datasets by rank".into(),
        y: "adjusted mutual information".into(),
        strips: (0..92).map(strip).collect(),
        cuts: vec![31, 61],
        ..Strips::default()
    }
}

fn bump() -> Bump {
    let ranked = |stage: usize, at: usize| {
        1.0 + (0..12).filter(|other| noise(stage, *other) < noise(stage, at)).count() as f64
    };
    Bump {
        title: "Twelve ranks at three stages".into(),
        stages: vec!["as they are".into(), "adjusted".into(), "held out".into()],
        lines: (0..12)
            .map(|at| Ranks {
                name: format!("technique {at}"),
                ranks: (0..3).map(|stage| ranked(stage, at)).collect(),
                notes: ["0.5".into(), "0.25".into()],
            })
            .collect(),
    }
}

fn bump_with_ties() -> Bump {
    let ranks: [&[f64]; 6] = [&[2.0, 1.5], &[2.0, 1.5], &[2.0, 4.5], &[4.0, 4.5], &[5.5, 4.5], &[5.5, 4.5]];
    Bump {
        title: "Ties".into(),
        stages: vec!["before".into(), "after".into()],
        lines: ranks
            .iter()
            .enumerate()
            .map(|(at, ranks)| Ranks {
                name: format!("m{at}"),
                ranks: ranks.to_vec(),
                notes: Default::default(),
            })
            .collect(),
    }
}
