//! Malformed and awkward ARFF and svmlight files.

use clmatch_data::Missing;

use crate::common::{Read, Refused, case, check};

#[test]
fn arff_and_svmlight() {
    let head = "@relation r\n@attribute a numeric\n@attribute c {x,'y z'}\n@data\n";
    let arff = |rows: &str| format!("{head}{rows}");
    check(&[
        case("arff", "a.arff", arff("1,x\n% c\n2,'y z'\n"), Read(2, 1, 2, &[])),
        case("arff sparse", "a.arff", arff("{0 5}\n{1 'y z'}\n{}\n"), Read(3, 1, 2, &[])),
        case("arff by content", "a.txt", arff("1,x\n"), Read(1, 1, 1, &[])),
        case("arff missing", "a.arff", arff("?,x\n1,x\n"), Read(1, 1, 1, &["1 of 2 rows"]))
            .with(|o| o.missing = Missing::Drop),
        case(
            "arff no data",
            "a.arff",
            "@relation r\n@attribute a numeric\n",
            Refused(&["ends without @data", "@attribute per column"]),
        ),
        case("arff no attributes", "a.arff", "@relation r\n@data\n1\n", Refused(&["line 2: no @attribute"])),
        case(
            "arff undeclared",
            "a.arff",
            arff("1,x\n2,q\n"),
            Refused(&["line 6, column 'c': 'q' is none of the declared", "declare it"]),
        ),
        case(
            "arff index",
            "a.arff",
            arff("{5 1}\n"),
            Refused(&["line 5: the index 5 is beyond the 2 attributes"]),
        ),
        case("arff sparse rubbish", "a.arff", arff("{a b}\n"), Refused(&["line 5: 'a' is not an index"])),
        case(
            "arff sparse open",
            "a.arff",
            arff("{0 1\n"),
            Refused(&["line 5: the sparse row is not closed"]),
        ),
        case("arff short", "a.arff", arff("1\n"), Refused(&["line 5: the row has 1 value where 2"])),
        case("arff quote", "a.arff", arff("1,'x\n"), Refused(&["line 5: the quote of", "never closed"])),
        case(
            "arff type",
            "a.arff",
            "@relation r\n@attribute a relational\n",
            Refused(&["line 2, column 'a': the type 'relational'"]),
        ),
        case(
            "arff rubbish",
            "a.arff",
            "@relation r\nhello\n",
            Refused(&["line 2: 'hello' stands where @attribute"]),
        ),
        case(
            "arff text",
            "a.arff",
            "@relation r\n@attribute s string\n@attribute c {x}\n@data\nabc,x\n",
            Refused(&["the column 's' holds text: 1 value, 'abc'", "which turns 's' into indicators"]),
        ),
        case(
            "arff date",
            "a.arff",
            "@relation r\n@attribute d date\n@attribute c {x}\n@data\n'2020-01-01',x\n",
            Refused(&["the column 'd' holds text", "leave out 'd'"]),
        ),
        case("svmlight", "a.svm", "+1 1:2 3:4 # c\n-1 qid:1 2:5\n", Read(2, 3, 2, &[])),
        case("svmlight from 0", "a.libsvm", "1 0:2 3:4\n2 1:5\n", Read(2, 4, 2, &[])),
        case(
            "svmlight descending",
            "a.svm",
            "1 3:2 1:4\n",
            Refused(&["line 1: the index 1 is not larger than the one before it", "must go up"]),
        ),
        case(
            "svmlight twice",
            "a.svm",
            "1 1:2\n1 1:2 1:4\n",
            Refused(&["line 2: the index 1 is not larger than the one before it"]),
        ),
        case(
            "svmlight negative",
            "a.svm",
            "1 1:2\n1 -1:2\n",
            Refused(&["line 2: '-1:2' has an index that is negative"]),
        ),
        case(
            "svmlight text",
            "a.svm",
            "1 1:abc\n",
            Refused(&["line 1: '1:abc' does not end in a number", "INDEX:VALUE"]),
        ),
        case("svmlight no colon", "a.svm", "1 1:1\n1 5\n", Refused(&["line 2: '5' is not INDEX:VALUE"])),
        case(
            "svmlight no label",
            "a.svm",
            "1:1 2:2\n",
            Refused(&["line 1: the line begins with '1:1', not with a label"]),
        ),
        case(
            "svmlight infinite",
            "a.svm",
            "1 1:inf\n",
            Refused(&["line 1, column '1': the value is infinite"]),
        ),
        case(
            "svmlight huge index",
            "a.svm",
            "1 4000000000:1\n2 1:1\n",
            Refused(&["the matrix would take about 64.0 GB"]),
        )
        .with(|o| o.memory_limit = Some(1 << 30)),
        case("svmlight empty rows", "a.svm", "1\n2\n", Refused(&["the matrix is empty"])),
    ]);
}
