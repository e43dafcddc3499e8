// The script of the site, without a browser: run with `node --test`. What needs a page is in python/tests/test_serve_page.py.
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const site = require("../assets/site.js");

test("a query has what is filled in, and lists with commas", () => {
  const fields = [["label", " a b "], ["noise", ""], ["datasets", "iris"], ["datasets", "x&y"], ["scale", "  "]];
  assert.strictEqual(site.query(fields), "label=a%20b&datasets=iris%2Cx%26y");
  assert.strictEqual(site.query([]), "");
});

test("problems are sentences", () => {
  assert.strictEqual(site.words({ schema: "", error: "the file is empty" }), "The file is empty.");
  assert.strictEqual(site.words({ schema: "", error: "iris.csv, line 4: short" }), "iris.csv, line 4: short.");
  const problem = { schema: "", error: "line 4 is short.", help: "mend the row" };
  assert.strictEqual(site.words(problem), "Line 4 is short. Mend the row.");
});

test("progress is told as far as it is known", () => {
  assert.deepStrictEqual(site.progress({ state: "queued" }).share, null);
  assert.deepStrictEqual(site.progress({ state: "running" }), { text: "Comparing all points.", share: null });
  const known = site.progress({ state: "running", step: "random labels", done: 3, of: 12 });
  assert.deepStrictEqual(known, { text: "random labels: 3 of 12", share: 0.25 });
  assert.deepStrictEqual(site.progress({ state: "running", step: "splits", done: 3, of: 0 }), { text: "splits", share: null });
});
