// Roles and settings, without a browser: run with `node --test`. What needs a page is in python/tests/test_serve_page.py.
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const columns = require("../assets/columns.js");

const column = (name, index, role = "feature", type = "number") =>
  ({ name, index, type, examples: [], distinct: 2, missing: 0, role, why: null });
const all = [column("a", 0), column("b,c", 1), column("1", 2), column("d", 3, "left-out"), column("a", 4), column("e", 5, "label", "text")];
const options = (settings) => Object.fromEntries(settings.filter(({ value }) => value.length > 0).map(({ name, value }) => [name, value]));

test("a column is named so that a list can hold it and no other is meant", () => {
  const names = all.map((one) => columns.reference(one, all));
  // A file whose second column cannot be named at all: its index is the name of the third.
  assert.deepStrictEqual(names, ["0", "b,c", "1", "d", "4", "e"]);
  for (const name of [" x", "-1", "*", "", "x,y"]) assert.strictEqual(columns.reference(column(name, 7), [column(name, 7)]), "7");
});

test("a role sets one option and takes the column out of all others", () => {
  const before = { label: "e", drop: "d,x", keep: "3", one_hot: "d", only: "" };
  assert.deepStrictEqual(options(columns.withRole(before, all[3], all, "feature")), { label: "e", drop: ["x"], keep: ["d"] });
  assert.deepStrictEqual(options(columns.withRole(before, all[3], all, "indicators")), { label: "e", drop: ["x"], one_hot: ["d"] });
  assert.deepStrictEqual(options(columns.withRole(before, all[3], all, "label")), { label: "d", drop: ["x"] });
  assert.deepStrictEqual(options(columns.withRole({ label: "-1" }, all[5], all, "left-out")), { drop: ["e"] });
  // 1 is the name of the third column, not the index of the second.
  assert.deepStrictEqual(options(columns.withRole({ drop: "1" }, all[1], all, "label")), { label: "b,c", drop: ["1"] });
  assert.deepStrictEqual(options(columns.withRole({ only: "x" }, all[3], all, "feature")), { only: ["x", "d"] });
});

test("text is no feature, and a role that a column has can be seen", () => {
  assert.deepStrictEqual(columns.choices(column("x", 0, "undecided", "text")), ["label", "indicators", "left-out", "undecided"]);
  assert.ok(columns.choices(all[0]).includes("feature"));
});

test("settings replace what was asked for", () => {
  const settings = [{ name: "mixed", value: true }, { name: "drop", value: ["a", "b"] }];
  assert.deepStrictEqual(columns.merged([["dataset", "x"], ["drop", "a"]], settings), [["dataset", "x"], ["mixed", "true"], ["drop", "a,b"]]);
  assert.strictEqual(columns.inWords([...settings, { name: "decimal_comma", value: true }]), "mixed; drop = a,b; decimal comma");
});

test("what is said names the reason and the settings", () => {
  const points = { rows: 41, points: 40, features: 2, classes: 2 };
  const found = { columns: all, points, refused: "x.csv: text", settings: [{ name: "mixed", value: true }] };
  assert.match(columns.summary(found, true), /refused: x\.csv: text\. These options were filled in .*: mixed\. Then: 40 points of 41 rows/);
  assert.match(columns.summary({ ...found, refused: undefined }, false), /^40 points of 41 rows, 2 features, 2 classes\.$/);
  const none = { columns: [], settings: [], refused: "no", obstacle: { what: "one class", help: "choose another" } };
  assert.strictEqual(columns.summary(none, false), "It cannot be scored so: one class. To do: choose another.");
  assert.deepStrictEqual(columns.roles(found), ["label: e", "feature: a, b,c, 1, a", "left out: d", "It can be scored with mixed."]);
});

test("the first rows are as long as the longest column", () => {
  const some = [{ ...all[0], first: ["1", ""] }, { ...all[1], first: [] }, all[2]];
  assert.deepStrictEqual(columns.firstRows(some), [["1", "", ""], ["", "", ""]]);
  assert.deepStrictEqual(columns.firstRows([]), []);
});
