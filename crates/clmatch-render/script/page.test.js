// The script of the pages, without a browser: run with `node --test`. What needs a page is in python/tests/test_report_page.py.
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const page = require("../assets/page.js");

test("numbers sort as numbers, and what is missing comes last", () => {
  const sorted = (keys, direction) => [...keys].sort((a, b) => page.compare(a, b, true, direction));
  assert.deepStrictEqual(sorted(["10", "", "9", "-1", "inf"], 1), ["-1", "9", "10", "inf", ""]);
  assert.deepStrictEqual(sorted(["10", "", "9", "NaN", "-inf"], -1), ["10", "9", "-inf", "", "NaN"]);
});

test("names sort as people expect", () => {
  const names = ["class 10", "Class 2", "class 1"];
  names.sort((a, b) => page.compare(a, b, false, 1));
  assert.deepStrictEqual(names, ["class 1", "Class 2", "class 10"]);
  names.sort((a, b) => page.compare(a, b, false, -1));
  assert.deepStrictEqual(names, ["class 10", "Class 2", "class 1"]);
});

test("a dataset fits if its name and all of its values do", () => {
  const all = [{ low: 0, high: 5 }, { low: 0, high: 5 }];
  assert.ok(page.fits("Dry Bean", [3, 4], "", all));
  assert.ok(page.fits("Dry Bean", [3, 4], "bean dr", all));
  assert.ok(!page.fits("Dry Bean", [3, 4], "beans", all));
  assert.ok(page.fits("x", [3, 4], "", [{ low: 3, high: 3 }, { low: 4, high: 5 }]));
  assert.ok(!page.fits("x", [3, 4], "", [{ low: 4, high: 5 }, { low: 0, high: 5 }]));
  assert.ok(!page.fits("x", [3, 4], "", [{ low: 0, high: 5 }, { low: 0, high: 3 }]));
});

test("a dragged range takes the steps inside it", () => {
  const steps = [0.1, 0.2, 0.5, 0.9, null];
  assert.deepStrictEqual(page.between(steps, 0.15, 0.6), { low: 1, high: 2 });
  assert.deepStrictEqual(page.between(steps, 0, 1), { low: 0, high: 3 });
  const none = page.between(steps, 0.6, 0.7);
  assert.ok(none.low > none.high);
});

test("pairs are counted as the charts count them", () => {
  const places = [];
  for (let i = 0; i < 5; i += 1) {
    for (let j = i + 1; j < 5; j += 1) places.push(page.pairPlace(i, j, 5));
  }
  assert.deepStrictEqual(places, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const pairs = { names: ["a", "b", "c"], scores: [100, 250, 1000], panels: [] };
  assert.strictEqual(page.describe(pairs, 0, 2), "a | c: clm 0.250.");
  assert.strictEqual(page.describe({ ...pairs, scores: [] }, 0, 2), "a | c.");
});
