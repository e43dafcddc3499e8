//! Files as R writes them: Rdatasets with their row names, `write.csv` and `write.table`.

use super::sheet::*;

pub fn files() -> Vec<LookAlike> {
    const TABLE: Style = Style { separator: " ", ..R };
    let numbered = |more| with([id("rownames", from(1))], more);
    vec![
        sheet(
            "PlantGrowth.csv",
            30,
            CSV,
            numbered(then(measured(&["weight"]), [label("group", kinds(["ctrl", "trt1", "trt2"]))])),
        ),
        sheet(
            "chickwts.csv",
            71,
            CSV,
            numbered(vec![
                feature("weight", whole(3, 108, 423)),
                label("feed", kinds(["casein", "linseed", "soybean"])),
            ]),
        ),
        sheet(
            "InsectSprays.csv",
            72,
            CSV,
            numbered(vec![feature("count", whole(3, 0, 26)), label("spray", kinds(["A", "B", "C"]))]),
        ),
        sheet(
            "iris-r.csv",
            150,
            R,
            with(
                [id("", quoted_from(1))],
                then(
                    measured(&["Sepal.Length", "Sepal.Width", "Petal.Length"]),
                    [label("Species", kinds(["\"setosa\"", "\"versicolor\"", "\"virginica\""]))],
                ),
            ),
        ),
        sheet(
            "Pima.tr.csv",
            200,
            CSV,
            numbered(then(measured(&["glu", "bp", "bmi", "ped"]), [label("type", two(["Yes", "No"]))])),
        ),
        sheet(
            "biopsy.csv",
            699,
            CSV,
            numbered(then(
                vec![id("ID", scattered(13)), feature("V1", whole(1, 1, 10)), feature("V2", whole(2, 1, 10))],
                [label("class", two(["benign", "malignant"]))],
            )),
        ),
        sheet(
            "fgl.csv",
            214,
            CSV,
            numbered(then(measured(&["RI", "Na", "Mg"]), [label("type", kinds(["WinF", "WinNF", "Veh"]))])),
        ),
        sheet(
            "penguins-r.csv",
            120,
            CSV,
            numbered(then(
                vec![
                    label("species", kinds(["Adelie", "Gentoo", "Chinstrap"])),
                    feature("island", two(["Biscoe", "Dream"])),
                ],
                [feature("bill", real(1)), feature("sex", two(["male", "female"]))],
            )),
        )
        .refused("2 columns hold text: 'island' (2 different values such as"),
        // Two text columns, neither of which is called label, and a last column of measurements.
        sheet(
            "crabs.csv",
            200,
            CSV,
            numbered(then(
                vec![label("sp", two(["B", "O"])), feature("sex", two(["M", "F"]))],
                [feature("index", from(1)), feature("FL", real(1)), feature("BD", real(2))],
            )),
        )
        .refused("'BD', taken for the label (the last column), looks like a number to predict"),
        // The names of the rows are those of cars; nothing indicates which column is meant.
        sheet(
            "mtcars.csv",
            32,
            CSV,
            with(
                [id("rownames", text("name")), feature("mpg", real(1)), label("cyl", kinds(["4", "6", "8"]))],
                vec![feature("wt", real(2)), feature("gear", whole(3, 3, 5))],
            ),
        ),
        // A header that lacks one name.
        short_header(sheet(
            "table.data",
            60,
            TABLE,
            with(
                [id("", quoted_from(1))],
                then(measured(&["a", "b"]), [label("kind", kinds(["p", "q", "r"]))]),
            ),
        )),
        // The row number, which was read and written twice, is called X.
        sheet(
            "twice.csv",
            90,
            R,
            with([id("X", from(1))], then(measured(&["a", "b"]), [label("grp", kinds(["p", "q", "r"]))])),
        ),
        sheet(
            "tibble.csv",
            90,
            CSV,
            with([id("...1", from(1))], then(measured(&["a", "b"]), [label("grp", kinds(["p", "q", "r"]))])),
        ),
        sheet(
            "Obs.csv",
            40,
            CSV,
            with(
                [id("Obs", from(1))],
                then(measured(&["dose", "gain"]), [label("diet", kinds(["1", "2", "3"]))]),
            ),
        ),
    ]
}

/// Removes the name of the first column from the header.
fn short_header(mut table: LookAlike) -> LookAlike {
    assert!(table.bytes.starts_with(b"\"\" "));
    table.bytes.drain(..3);
    table
}
