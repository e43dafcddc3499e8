//! Tables from Kaggle, seaborn and spreadsheets, and sensor logs.

use super::sheet::*;

pub fn files() -> Vec<LookAlike> {
    let mut files = kaggle();
    files.extend(seaborn());
    files.extend(office());
    files.extend(logs());
    files.extend(images());
    files
}

fn kaggle() -> Vec<LookAlike> {
    let iris = ["SepalLengthCm", "SepalWidthCm", "PetalLengthCm"];
    vec![
        sheet(
            "iris-kaggle.csv",
            150,
            CSV,
            with([id("Id", from(1))], then(measured(&iris), [label("Species", kinds(["a", "b", "c"]))])),
        ),
        sheet(
            "santander.csv",
            300,
            CSV,
            with(
                [id("ID_code", text("train")), label("target", two(["0", "1"]))],
                measured(&["var_0", "var_1"]),
            ),
        ),
        sheet(
            "churn.csv",
            300,
            CSV,
            with(
                [id("customerID", text("VHVEG"))],
                then(measured(&["tenure", "charges"]), [label("Churn", two(["Yes", "No"]))]),
            ),
        ),
        sheet(
            "house-prices.csv",
            300,
            CSV,
            with(
                [id("Id", from(1)), feature("LotArea", pixels(3))],
                then(measured(&["OverallQual"]), [label("SalePrice", whole(9, 35_000, 755_000))]),
            ),
        )
        .refused("'SalePrice', taken for the label (the last column), looks like a number to predict"),
        sheet(
            "credit.csv",
            300,
            CSV,
            with(
                [id("ID", from(1))],
                then(measured(&["LIMIT_BAL", "BILL_AMT1"]), [label("default.payment", two(["0", "1"]))]),
            ),
        ),
        sheet(
            "heart.csv",
            303,
            CSV,
            then(
                vec![feature("age", whole(1, 29, 77)), feature("chol", whole(2, 126, 564))],
                [label("target", two(["0", "1"]))],
            ),
        ),
        sheet(
            "digits.csv",
            200,
            CSV,
            with(
                [label("label", kinds(["0", "1", "2"]))],
                vec![
                    feature("pixel0", whole(1, 0, 255)),
                    feature("pixel1", whole(2, 0, 255)),
                    feature("pixel2", whole(3, 0, 255)),
                ],
            ),
        ),
        sheet(
            "breast-cancer-kaggle.csv",
            120,
            CSV,
            then(
                with(
                    [id("id", scattered(0)), label("diagnosis", two(["M", "B"]))],
                    measured(&["radius_mean"]),
                ),
                [feature("Unnamed: 32", Box::new(|_| String::new()))],
            ),
        )
        .refused("the value is missing"),
        sheet(
            "employees.csv",
            200,
            CSV,
            then(
                measured(&["Age", "Income"]),
                [id("EmployeeNumber", scattered(0)), label("Attrition", two(["Yes", "No"]))],
            ),
        ),
    ]
}

fn seaborn() -> Vec<LookAlike> {
    vec![
        sheet(
            "iris-seaborn.csv",
            150,
            CSV,
            then(
                measured(&["sepal_length", "petal_length"]),
                [label("species", kinds(["setosa", "versicolor", "virginica"]))],
            ),
        ),
        sheet(
            "geyser.csv",
            272,
            CSV,
            then(
                vec![feature("duration", real(1)), feature("waiting", whole(2, 43, 96))],
                [label("kind", two(["long", "short"]))],
            ),
        ),
        sheet(
            "titanic.csv",
            200,
            CSV,
            with(
                [id("PassengerId", from(1)), label("Survived", two(["0", "1"]))],
                vec![
                    feature("Name", text("name")),
                    feature(
                        "Sex",
                        Box::new(|row| ["male", "female"][usize::from(chance(8, row) < 0.5)].to_owned()),
                    ),
                    feature("Fare", real(1)),
                    feature(
                        "Embarked",
                        Box::new(|row| ["S", "C", "Q"][(3.0 * chance(9, row)) as usize].to_owned()),
                    ),
                ],
            ),
        )
        .refused("2 columns hold text: 'Sex' (2 different values such as"),
        sheet(
            "mpg.csv",
            200,
            CSV,
            then(
                measured(&["mpg", "weight"]),
                [
                    label("origin", kinds(["usa", "japan", "europe"])),
                    feature("name", Box::new(|row| format!("car {}", row * 3 / 4))),
                ],
            ),
        )
        .refused("the column 'name'"),
        sheet(
            "tips.csv",
            200,
            CSV,
            with(
                [
                    feature("total_bill", real(1)),
                    feature("sex", two(["Male", "Female"])),
                    label("smoker", two(["Yes", "No"])),
                ],
                vec![feature("day", kinds(["Sun", "Sat", "Thur"])), feature("size", whole(2, 1, 6))],
            ),
        )
        .refused("columns hold text: 'sex'"),
        sheet(
            "diabetes.csv",
            442,
            CSV,
            then(measured(&["age", "bmi", "bp"]), [label("target", whole(8, 25, 346))]),
        )
        .refused("'target', taken for the label (by its name), looks like a number to predict"),
        sheet(
            "elnino.csv",
            300,
            CSV,
            then(measured(&["zon.winds", "mer.winds", "humidity"]), [label("air.temp.", real(8))]),
        )
        .refused("looks like a number to predict"),
    ]
}

fn office() -> Vec<LookAlike> {
    const SEMICOLONS: Style = Style { separator: ";", end: "\r\n", ..CSV };
    let comma = |seed: u64| -> Content { Box::new(move |row| real(seed)(row).replace('.', ",")) };
    let kind = || label("Sorte", kinds(["rot", "weiss", "rose"]));
    vec![
        sheet("excel.csv", 120, SEMICOLONS, then(measured(&["Laenge", "Breite"]), [kind()]))
            .after("\u{feff}"),
        sheet(
            "komma.csv",
            120,
            SEMICOLONS,
            with(
                [id("Nr.", from(1)), feature("Laenge", comma(1))],
                vec![feature("Breite", comma(2)), kind()],
            ),
        )
        .refused("is not a number"),
        sheet(
            "numbered.csv",
            120,
            SEMICOLONS,
            with([id("No.", from(1))], then(measured(&["a", "b"]), [kind()])),
        ),
        sheet("serial.csv", 120, CSV, with([id("S.No", from(1))], then(measured(&["a", "b"]), [kind()]))),
        // A line that starts with this character is a comment, so that the columns have no names.
        sheet("hash.csv", 120, CSV, with([id("#", from(1))], then(measured(&["a", "b"]), [kind()])))
            .nameless(),
        sheet("last.csv", 120, CSV, then(measured(&["a", "b"]), [kind(), id("record_id", scattered(0))])),
        sheet(
            "last-number.csv",
            120,
            CSV,
            then(measured(&["a", "b"]), [label("k", kinds(["1", "2", "3"])), id("nr", from(1))]),
        ),
        sheet("uuid.csv", 120, CSV, then(measured(&["a", "b"]), [id("key", text("uuid")), kind()])),
        sheet(
            "patients.csv",
            120,
            CSV,
            with(
                [id("patient_id", Box::new(|row| (100 + row / 4 * 7).to_string()))],
                then(measured(&["a", "b"]), [kind()]),
            ),
        ),
        sheet(
            "thousands.csv",
            120,
            CSV,
            then(
                vec![feature("a", real(1)), feature("pay", Box::new(|row| format!("\"1,{row:03},000\"")))],
                [kind()],
            ),
        ),
        // The spelling of a class.
        sheet(
            "spelling.csv",
            120,
            CSV,
            then(measured(&["a", "b"]), [label("class", kinds(["Yes", "yes", "No"]))]),
        ),
    ]
}

fn logs() -> Vec<LookAlike> {
    let activity = || label("activity", kinds(["sit", "walk", "run"]));
    vec![
        sheet(
            "watch.csv",
            300,
            CSV,
            with([id("timestamp", timestamps(7))], then(measured(&["ax", "ay", "az"]), [activity()])),
        ),
        sheet(
            "epoch.csv",
            300,
            CSV,
            with(
                [id("time", Box::new(|row| (1_714_557_600 + 60 * row).to_string()))],
                then(measured(&["ax", "ay"]), [label("state", kinds(["0", "1", "2"]))]),
            ),
        ),
        sheet(
            "counter.csv",
            300,
            CSV,
            with([id("sample", from(0))], then(measured(&["ax", "ay"]), [activity()])),
        ),
        sheet(
            "days.csv",
            300,
            CSV,
            with(
                [id("date", timestamps(5000)), id("day", timestamps(0))],
                then(measured(&["ax"]), [activity()]),
            ),
        )
        .refused("the column 'day'"),
        sheet(
            "years.csv",
            40,
            CSV,
            with(
                [id("Year", from(1970))],
                then(measured(&["rain", "sun"]), [label("phase", kinds(["a", "b", "c"]))]),
            ),
        ),
    ]
}

/// Whole numbers that are measurements, nearly all different, and must be kept.
fn images() -> Vec<LookAlike> {
    vec![
        sheet(
            "raisin.csv",
            300,
            CSV,
            with(
                [feature("Area", pixels(1)), feature("Axis", real(2))],
                vec![feature("ConvexArea", pixels(4)), label("Class", kinds(["a", "b", "c"]))],
            ),
        ),
        sheet(
            "bean.data",
            300,
            BARE,
            with([feature("", pixels(1)), feature("", real(2))], vec![label("", kinds(["a", "b", "c"]))]),
        ),
    ]
}
