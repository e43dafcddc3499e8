// @ts-check
// What the pages of clmatch can do besides being read: sort, filter, choose. Numbers come finished; nothing is computed here.
"use strict";

/**
 * @typedef {{names: string[], scores: number[], panels: number[][]}} PairData
 * @typedef {{steps: (number | null)[][], labels: string[][], places: number[][], names: string[]}} RowData
 * @typedef {{low: number, high: number}} Range
 */

const page = (() => {
  /**
   * Data that the page brings along.
   * @template T
   * @param {string} id
   * @returns {T | null}
   */
  function data(id) {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent || "null") : null;
  }

  /**
   * Compares what two cells are sorted by: numbers as such, and what is missing last.
   * @param {string} a
   * @param {string} b
   * @param {boolean} numeric
   * @param {number} direction 1 ascending, -1 descending
   * @returns {number}
   */
  function compare(a, b, numeric, direction) {
    if (!numeric) {
      return direction * a.localeCompare(b, "en", { numeric: true });
    }
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    }
    return x === y ? 0 : direction * (x < y ? -1 : 1);
  }

  /**
   * A number as it is written in a page, where infinity is `inf`.
   * @param {string} text
   * @returns {number}
   */
  function number(text) {
    if (text === "inf") return Infinity;
    if (text === "-inf") return -Infinity;
    return text === "" ? NaN : Number(text);
  }

  /**
   * What a cell is sorted by.
   * @param {HTMLTableRowElement} row
   * @param {number} column
   * @returns {string}
   */
  function key(row, column) {
    const cell = row.cells[column];
    return cell ? (cell.dataset.key ?? cell.textContent ?? "").trim() : "";
  }

  /**
   * Sorts the rows of a table by a column: the other way round if it is sorted by it already.
   * @param {HTMLTableElement} table
   * @param {number} column
   */
  function sort(table, column) {
    const heads = [...table.tHead?.rows[0]?.cells ?? []];
    const head = heads[column];
    const body = table.tBodies[0];
    if (!head || !body) return;
    const numeric = head.classList.contains("number");
    const current = head.getAttribute("aria-sort");
    // Of numbers the largest are wanted first, of names the first.
    const descending = current ? current === "ascending" : numeric && column > 0;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...body.rows];
    rows.sort((a, b) => compare(key(a, column), key(b, column), numeric, descending ? -1 : 1));
    body.append(...rows);
  }

  /** Gives every heading of a table that can be sorted a button. */
  function prepareTables() {
    for (const table of document.querySelectorAll("table.sortable")) {
      if (!(table instanceof HTMLTableElement)) continue;
      [...table.tHead?.rows[0]?.cells ?? []].forEach((head, column) => {
        const title = head.textContent ?? "";
        if (title.trim() === "" || (table.tBodies[0]?.rows.length ?? 0) < 2) return;
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = title;
        head.replaceChildren(button);
        button.addEventListener("click", () => sort(table, column));
      });
    }
  }

  /**
   * Whether a dataset is to be shown.
   * @param {string} name
   * @param {number[]} places its step on each slider
   * @param {string} search
   * @param {Range[]} ranges one for each slider, in steps
   * @returns {boolean}
   */
  function fits(name, places, search, ranges) {
    const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = words.every((word) => name.toLowerCase().includes(word));
    return found && ranges.every((range, at) => {
      const place = places[at] ?? 0;
      return place >= range.low && place <= range.high;
    });
  }

  /**
   * The steps of a slider that lie between two values; an empty range if none does.
   * @param {(number | null)[]} steps ascending
   * @param {number} low
   * @param {number} high
   * @returns {Range}
   */
  function between(steps, low, high) {
    const inside = steps.map((value, at) => ({ value, at }))
      .filter(({ value }) => value !== null && value >= low && value <= high);
    const [first, last] = [inside[0], inside[inside.length - 1]];
    return first && last ? { low: first.at, high: last.at } : { low: 1, high: 0 };
  }

  /**
   * The table of datasets with its search, its sliders and the strip above it.
   * @param {RowData} rows
   */
  function prepareFilters(rows) {
    const form = document.getElementById("filters");
    const table = document.getElementById("dataset-table");
    if (!(form instanceof HTMLFormElement) || !(table instanceof HTMLTableElement)) return;
    const search = /** @type {HTMLInputElement} */ (document.getElementById("search"));
    const sliders = [...form.querySelectorAll(".slider")].map((slider) => ({
      low: /** @type {HTMLInputElement} */ (slider.querySelector(".low")),
      high: /** @type {HTMLInputElement} */ (slider.querySelector(".high")),
      range: /** @type {HTMLOutputElement} */ (slider.querySelector(".range")),
    }));
    const shown = /** @type {HTMLOutputElement} */ (document.getElementById("shown"));
    const nothing = document.getElementById("nothing");
    // Rows keep their number however they are sorted.
    const bodies = [...table.tBodies[0]?.rows ?? []];
    const strip = prepareStrip(rows, sliders[0], () => apply());

    function apply() {
      const ranges = sliders.map((slider, at) => {
        const range = { low: Number(slider.low.value), high: Number(slider.high.value) };
        const labels = rows.labels[at] ?? [];
        slider.range.value = `${labels[range.low] ?? ""} to ${labels[range.high] ?? ""}`;
        slider.low.setAttribute("aria-valuetext", labels[range.low] ?? "");
        slider.high.setAttribute("aria-valuetext", labels[range.high] ?? "");
        return range;
      });
      const kept = rows.names.map((name, at) => fits(name, rows.places[at] ?? [], search.value, ranges));
      bodies.forEach((row, at) => { row.hidden = !kept[at]; });
      for (const dot of document.querySelectorAll(".swarm .dot, .relation .dot")) {
        dot.classList.toggle("out", !kept[Number(dot.getAttribute("data-at"))]);
      }
      const count = kept.filter(Boolean).length;
      shown.value = `${count} of ${rows.names.length} datasets`;
      if (nothing) nothing.hidden = count > 0;
      strip?.show(ranges[0]);
    }

    sliders.forEach((slider) => {
      // Handles push each other, so that the low one never lies above the high one.
      slider.low.addEventListener("input", () => {
        if (Number(slider.low.value) > Number(slider.high.value)) slider.high.value = slider.low.value;
        apply();
      });
      slider.high.addEventListener("input", () => {
        if (Number(slider.high.value) < Number(slider.low.value)) slider.low.value = slider.high.value;
        apply();
      });
    });
    search.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => {
      // A reset does not undo what a script has set where the page says otherwise.
      sliders.forEach((slider) => { slider.low.value = slider.low.min; slider.high.value = slider.high.max; });
      search.value = "";
      apply();
    }));
  }

  /**
   * A range of scores that is chosen by dragging over the strip.
   * @param {RowData} rows
   * @param {{low: HTMLInputElement, high: HTMLInputElement} | undefined} slider
   * @param {() => void} changed
   */
  function prepareStrip(rows, slider, changed) {
    const svg = document.querySelector(".brush .swarm");
    const group = svg?.querySelector("g[data-from]");
    if (!(svg instanceof SVGSVGElement) || !(group instanceof SVGGElement) || !slider) return null;
    const read = (/** @type {string} */ name) => Number(group.dataset[name]);
    const [from, to, low, high] = [read("from"), read("to"), read("low"), read("high")];
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    mark.setAttribute("class", "brushed");
    mark.setAttribute("y", String(read("top")));
    mark.setAttribute("height", String(read("base") - read("top")));
    mark.setAttribute("visibility", "hidden");
    group.prepend(mark);
    /** @type {number | null} */
    let start = null;

    const place = (/** @type {PointerEvent} */ event) => {
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
      return Math.min(to, Math.max(from, x));
    };
    const value = (/** @type {number} */ x) => low + (x - from) / (to - from) * (high - low);
    const x = (/** @type {number} */ value) => from + (value - low) / (high - low) * (to - from);

    svg.addEventListener("pointerdown", (event) => {
      start = place(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const end = place(event);
      if (Math.abs(end - start) < 3) return;
      const range = between(rows.steps[0] ?? [], value(Math.min(start, end)), value(Math.max(start, end)));
      if (range.low > range.high) return;
      slider.low.value = String(range.low);
      slider.high.value = String(range.high);
      changed();
    });
    const end = (/** @type {PointerEvent} */ event) => {
      // A click without a drag takes the choice back.
      if (start !== null && Math.abs(place(event) - start) < 3) {
        slider.low.value = slider.low.min;
        slider.high.value = slider.high.max;
        changed();
      }
      start = null;
    };
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", () => { start = null; });

    return {
      /** @param {Range | undefined} range */
      show(range) {
        const steps = rows.steps[0] ?? [];
        const all = !range || (range.low === 0 && range.high === steps.length - 1);
        mark.setAttribute("visibility", all ? "hidden" : "visible");
        if (all || !range) return;
        const [left, right] = [x(steps[range.low] ?? low) - 5, x(steps[range.high] ?? high) + 5];
        mark.setAttribute("x", String(left));
        mark.setAttribute("width", String(Math.max(right - left, 1)));
      },
    };
  }

  /**
   * The place of the pair i < j among all pairs of so many classes.
   * @param {number} i
   * @param {number} j
   * @param {number} count
   * @returns {number}
   */
  function pairPlace(i, j, count) {
    return i * count - i * (i + 1) / 2 + j - i - 1;
  }

  /**
   * Shows one of the pairs of classes that the page has points of.
   * @param {number} at
   */
  function showPair(at) {
    const template = document.getElementById(`pair-${at}`);
    const panel = document.getElementById("pair-panel");
    const choice = document.getElementById("pair-choice");
    if (!(template instanceof HTMLTemplateElement) || !panel) return;
    panel.replaceChildren(template.content.cloneNode(true));
    if (choice instanceof HTMLSelectElement) choice.value = String(at);
  }

  /**
   * The heatmap of pairs and the list of those that can be looked at.
   * @param {PairData} pairs
   */
  function preparePairs(pairs) {
    const choice = document.getElementById("pair-choice");
    const cells = document.querySelector(".heatmap .cells");
    const hint = document.getElementById("heat-hint");
    const svg = cells?.closest("svg");
    const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    frame.setAttribute("class", "chosen");

    /** @param {number} at */
    function show(at) {
      showPair(at);
      const [i, j] = pairs.panels[at] ?? [];
      if (cells instanceof SVGGElement && i !== undefined && j !== undefined) mark(cells, i, j);
    }
    /** @param {SVGGElement} group @param {number} i @param {number} j */
    function mark(group, i, j) {
      const cell = Number(group.dataset.cell);
      frame.setAttribute("x", String(Number(group.dataset.left) + i * cell));
      frame.setAttribute("y", String(Number(group.dataset.top) + (j - 1) * cell));
      frame.setAttribute("width", String(cell));
      frame.setAttribute("height", String(cell));
      group.append(frame);
    }
    if (choice instanceof HTMLSelectElement) {
      choice.addEventListener("change", () => show(Number(choice.value)));
    }
    if (!(cells instanceof SVGGElement) || !(svg instanceof SVGSVGElement)) return;
    if (pairs.panels.length > 0) show(0);

    /** @param {MouseEvent} event @returns {number[] | null} */
    const pairAt = (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const cell = Number(cells.dataset.cell);
      const i = Math.floor(((event.clientX - box.left) * scale - Number(cells.dataset.left)) / cell);
      const j = Math.floor(((event.clientY - box.top) * scale - Number(cells.dataset.top)) / cell) + 1;
      return i >= 0 && i < j && j < pairs.names.length ? [i, j] : null;
    };
    svg.addEventListener("click", (event) => {
      const [i, j] = pairAt(event) ?? [];
      if (i === undefined || j === undefined) return;
      const at = pairs.panels.findIndex(([a, b]) => a === i && b === j);
      if (at >= 0) show(at);
      else mark(cells, i, j);
      if (hint) hint.textContent = at >= 0 ? "" : `${describe(pairs, i, j)} Its points are not in this file.`;
    });
    if (pairs.scores.length > 0) {
      svg.addEventListener("pointermove", (event) => {
        const [i, j] = pairAt(event) ?? [];
        if (hint && i !== undefined && j !== undefined) hint.textContent = describe(pairs, i, j);
      });
    }
  }

  /**
   * A pair in words.
   * @param {PairData} pairs
   * @param {number} i
   * @param {number} j
   * @returns {string}
   */
  function describe(pairs, i, j) {
    const score = pairs.scores[pairPlace(i, j, pairs.names.length)];
    const number = score === undefined ? "" : `: clm ${(score / 1000).toFixed(3)}`;
    return `${pairs.names[i]} | ${pairs.names[j]}${number}.`;
  }

  /** Highlights one class among the points. */
  function prepareClasses() {
    const choice = document.getElementById("class-choice");
    if (!(choice instanceof HTMLSelectElement)) return;
    choice.addEventListener("change", () => {
      for (const path of document.querySelectorAll(".groups path")) {
        const out = choice.value !== "" && path.getAttribute("data-class") !== choice.value;
        path.classList.toggle("out", out);
        // What is chosen lies above the others.
        if (!out && choice.value !== "") path.parentElement?.append(path);
      }
    });
  }

  function start() {
    prepareTables();
    prepareClasses();
    const rows = /** @type {RowData | null} */ (data("row-data"));
    if (rows) prepareFilters(rows);
    const pairs = /** @type {PairData | null} */ (data("pair-data"));
    if (pairs) preparePairs(pairs);
  }

  return { between, compare, describe, fits, number, pairPlace, start };
})();

if (typeof document !== "undefined") page.start();
// @ts-ignore: only where the script is tested without a page is there a module.
if (typeof module !== "undefined") module.exports = page;
