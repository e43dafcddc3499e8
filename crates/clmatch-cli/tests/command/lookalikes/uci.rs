//! Original files of the UCI repository: no header, the label first or last, names in a separate file.

use super::sheet::*;

pub fn files() -> Vec<LookAlike> {
    const BLANKS: Style = Style { separator: "  ", ..BARE };
    const TABS: Style = Style { separator: "\t", ..BARE };
    const GLASS: [&str; 6] = ["1", "2", "3", "5", "6", "7"];
    let ranks = |count: u64| (0..count).map(|seed| feature("", whole(seed, 1, 10))).collect::<Vec<_>>();
    vec![
        sheet(
            "glass.data",
            214,
            BARE,
            then(with([id("", from(1))], nameless(9)), [label("", blocks(214, &GLASS))]),
        ),
        sheet(
            "breast-cancer-wisconsin.data",
            699,
            BARE,
            then(with([id("", scattered(13))], ranks(9)), [label("", two(["2", "4"]))]),
        ),
        sheet("wdbc.data", 569, BARE, with([id("", scattered(0)), label("", two(["M", "B"]))], nameless(30))),
        sheet(
            "iris-uci.data",
            150,
            BARE,
            then(nameless(4), [label("", kinds(["Iris-setosa", "Iris-versicolor", "Iris-virginica"]))]),
        ),
        sheet(
            "wine.data",
            178,
            BARE,
            then(with([label("", kinds(["1", "2", "3"]))], nameless(12)), [feature("", whole(5, 278, 500))]),
        )
        .refused("'13', taken for the label (the last column), looks like a number to predict"),
        sheet("letter-recognition.data", 300, BARE, with([label("", kinds(["T", "I", "D"]))], ranks(16))),
        sheet("balance-scale.data", 200, BARE, with([label("", kinds(["L", "B", "R"]))], ranks(4))),
        sheet(
            "zoo.data",
            101,
            BARE,
            then(
                with([id("", text("animal"))], (0..15).map(|seed| feature("", whole(seed, 0, 1))).collect()),
                [label("", kinds(["1", "2", "4"]))],
            ),
        ),
        sheet(
            "ecoli.data",
            336,
            BLANKS,
            then(with([id("", text("ECOLI"))], nameless(7)), [label("", kinds(["cp", "im", "pp"]))]),
        ),
        sheet(
            "yeast.data",
            400,
            BLANKS,
            then(with([id("", text("YEAST"))], nameless(8)), [label("", kinds(["MIT", "NUC", "CYT"]))]),
        ),
        // The label is the first of many columns with two values.
        sheet(
            "hepatitis.data",
            155,
            BARE,
            with(
                [label("", two(["1", "2"])), feature("", whole(1, 7, 78))],
                (2..8).map(|seed| feature("", whole(seed, 1, 2))).collect(),
            ),
        ),
        sheet("sonar.data", 208, BARE, then(nameless(60), [label("", two(["R", "M"]))])),
        sheet("ionosphere.data", 351, BARE, then(nameless(34), [label("", two(["g", "b"]))])),
        sheet("magic04.data", 300, BARE, then(nameless(10), [label("", two(["g", "h"]))])),
        sheet("spambase.data", 300, BARE, then(nameless(57), [label("", two(["0", "1"]))])),
        sheet("banknote.data", 300, BARE, then(nameless(4), [label("", two(["0", "1"]))])),
        sheet("haberman.data", 306, BARE, then(ranks(3), [label("", two(["1", "2"]))])),
        sheet("seeds.tsv", 210, TABS, then(nameless(7), [label("", kinds(["1", "2", "3"]))])),
        sheet("page-blocks.data", 300, BLANKS, then(nameless(10), [label("", kinds(["1", "2", "4"]))])),
        // A price at the end of the row.
        sheet("housing.data", 506, BLANKS, then(nameless(13), [label("", real(77))]))
            .refused("'13', taken for the label (the last column), looks like a number to predict"),
    ]
}
