// @ts-check
// How a file is understood: its columns, in which roles are chosen, and the settings that a refused file needs.
"use strict";

/**
 * @typedef {{name: string, index: number, type: string, examples: string[], first?: string[], distinct: number, missing: number, role: string,
 *   why: string | null}} FileColumn
 * @typedef {{name: string, value: boolean | string | string[]}} Setting
 * @typedef {{columns: FileColumn[], points?: {rows: number, points: number, features: number, classes: number}, refused?: string,
 *   settings: Setting[], obstacle?: {what: string, help?: string}, notes?: string[]}} Inspected
 * @typedef {[string, string][]} Fields
 */

const columns = (() => {
  /** How many columns a table shows. */
  const SHOWN = 500;
  /** @type {Record<string, string>} */
  const ROLES = { label: "label", feature: "feature", indicators: "indicators", "left-out": "left out", undecided: "undecided" };
  const LISTS = ["drop", "keep", "only", "one_hot"];

  /**
   * A text that names a column in options: its name, or its index where the name is not unique or cannot be in a list.
   * @param {FileColumn} column
   * @param {FileColumn[]} all
   * @returns {string}
   */
  function reference({ name, index }, all) {
    const isPlain = name !== "" && name === name.trim() && !/^[-*]|,/.test(name);
    const isTaken = all.some((other) => other.name === String(index));
    return all.filter((other) => other.name === name).length === 1 && (isPlain || isTaken) ? name : String(index);
  }

  /**
   * The options that give a column another role.
   * @param {Record<string, string>} options
   * @param {FileColumn} column
   * @param {FileColumn[]} all
   * @param {string} role
   * @returns {Setting[]}
   */
  function withRole(options, column, all, role) {
    const own = reference(column, all);
    const isIndex = (/** @type {string} */ text) => [column.index, column.index - all.length].map(String).includes(text) &&
      !all.some((other) => other.name === text);
    const isIt = (/** @type {string} */ text) => text.trim() === column.name || isIndex(text.trim());
    const label = options.label ?? "";
    const list = (/** @type {string} */ name) => (options[name] ?? "").split(",").filter((text) => text.trim() !== "" && !isIt(text));
    // Where the features are listed, one more is added there.
    const feature = options.only?.trim() ? "only" : "keep";
    const place = { feature, indicators: "one_hot", "left-out": "drop" }[role];
    return [
      { name: "label", value: role === "label" ? own : isIt(label) ? "" : label },
      ...LISTS.map((name) => ({ name, value: name === place ? [...list(name), own] : list(name) })),
    ];
  }

  /**
   * The roles that a column can be given.
   * @param {FileColumn} column
   * @returns {string[]}
   */
  function choices({ type, role }) {
    const possible = ["text", "date"].includes(type) ? ["label", "indicators", "left-out"] : ["label", "feature", "indicators", "left-out"];
    return possible.includes(role) ? possible : [...possible, role];
  }

  /** @param {Setting} setting @returns {string} */
  function text({ value }) {
    return Array.isArray(value) ? value.join(",") : String(value);
  }

  /**
   * Settings in words.
   * @param {Setting[]} settings
   * @returns {string}
   */
  function inWords(settings) {
    return settings.map((one) => one.value === true ? one.name : `${one.name} = ${text(one)}`).join("; ").replaceAll("_", " ");
  }

  /**
   * Fields of a request with settings in their place.
   * @param {Fields} asked
   * @param {Setting[]} settings
   * @returns {Fields}
   */
  function merged(asked, settings) {
    const others = asked.filter(([name]) => !settings.some((setting) => setting.name === name));
    return [...others, ...settings.map((one) => /** @type {[string, string]} */ ([one.name, text(one)]))];
  }

  /**
   * What the columns are used as, a line for each role, the label first; and the settings that the file needs.
   * @param {Inspected} found
   * @returns {string[]}
   */
  function roles({ columns, points, settings }) {
    const MOST = 8;
    const lines = Object.entries(ROLES).flatMap(([role, heading]) => {
      const names = columns.filter((column) => column.role === role).map((column) => column.name);
      const more = names.length > MOST ? `, … (${names.length} in all)` : "";
      return names.length === 0 ? [] : [`${heading}: ${names.slice(0, MOST).join(", ")}${more}`];
    });
    return points ? [...lines, `It can be scored with ${inWords(settings)}.`] : lines;
  }

  /**
   * What is said above the table. `filled` says whether the proposed settings were filled in.
   * @param {Inspected} found
   * @param {boolean} filled
   * @returns {string}
   */
  function summary({ columns, points, refused, settings, obstacle }, filled) {
    const end = (/** @type {string} */ text) => /[.!?]$/.test(text) ? text : `${text}.`;
    if (!points) return `It cannot be scored so: ${end(obstacle?.what ?? refused ?? "")}${obstacle?.help ? ` To do: ${end(obstacle.help)}` : ""}`;
    const size = `${points.points} points of ${points.rows} rows, ${points.features} features, ${points.classes} classes.`;
    const hidden = columns.length > SHOWN ? ` ${columns.length - SHOWN} more columns are not shown.` : "";
    if (!refused) return size + hidden;
    const what = filled ? "These options were filled in so that it can be scored" : "It can be scored with these options";
    return `As it is, it is refused: ${end(refused)} ${what}: ${inWords(settings)}. Then: ${size}${hidden}`;
  }

  /**
   * Fills in a form.
   * @param {HTMLFormElement} form
   * @param {Setting[]} settings
   */
  function fill(form, settings) {
    for (const setting of settings) {
      const control = form.elements.namedItem(setting.name);
      if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = setting.value === true;
      else if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) control.value = text(setting);
    }
  }

  /**
   * Lets names of columns be chosen from a list in all fields that take them.
   * @param {HTMLFormElement} form
   * @param {() => FileColumn[]} all
   */
  function complete(form, all) {
    const list = document.getElementById("column-names");
    const offer = (/** @type {Event} */ { target }) => {
      if (!(target instanceof HTMLInputElement) || !target.hasAttribute("list")) return;
      // A list of choices replaces the whole text, so every choice begins with what is there.
      const start = target.dataset.list === undefined ? "" : target.value.slice(0, target.value.lastIndexOf(",") + 1);
      list?.replaceChildren(...all().slice(0, SHOWN).map((column) => {
        const option = document.createElement("option");
        option.value = start + reference(column, all());
        return option;
      }));
    };
    for (const kind of ["focusin", "input"]) form.addEventListener(kind, offer);
  }

  /**
   * The rows of the table. `choose` is called with a column and its new role.
   * @param {FileColumn[]} all
   * @param {(column: FileColumn, role: string) => void} choose
   * @returns {HTMLTableRowElement[]}
   */
  function rows(all, choose) {
    return all.slice(0, SHOWN).map((column) => {
      const row = document.createElement("tr");
      const add = (/** @type {string} */ text, number = false) => {
        const cell = row.insertCell();
        cell.textContent = text;
        if (number) cell.className = "number";
        return cell;
      };
      const share = 100 * column.missing;
      add(column.name);
      add(column.type.replace("-", " "));
      add(column.examples.join(", "));
      add(String(column.distinct), true);
      add(share === 0 ? "" : share < 1 ? "< 1%" : `${Math.floor(share)}%`, true);
      const select = document.createElement("select");
      select.id = `role-${column.index}`;
      select.setAttribute("aria-label", `use ${column.name} as`);
      select.append(...choices(column).map((role) => new Option(ROLES[role] ?? role, role, false, role === column.role)));
      select.addEventListener("change", () => choose(column, select.value));
      add("").append(select);
      add(column.why ?? "");
      return row;
    });
  }

  /**
   * The cells of the first rows.
   * @param {FileColumn[]} all
   * @returns {string[][]}
   */
  function firstRows(all) {
    const count = Math.max(0, ...all.map((column) => column.first?.length ?? 0));
    return Array.from({ length: count }, (_, row) => all.map((column) => column.first?.[row] ?? ""));
  }

  /**
   * Shows the first rows, each column marked with its role.
   * @param {HTMLElement} box
   * @param {FileColumn[]} all
   */
  function preview(box, all) {
    const shown = all.slice(0, SHOWN);
    const rows = firstRows(shown);
    box.hidden = rows.length === 0;
    const line = (/** @type {string} */ kind, /** @type {string[]} */ texts) => {
      const row = document.createElement("tr");
      row.append(...texts.map((text, at) => {
        const cell = document.createElement(kind);
        cell.textContent = text;
        if (kind === "th") cell.setAttribute("scope", "col");
        cell.dataset.role = shown[at]?.role;
        return cell;
      }));
      return row;
    };
    const roles = line("td", shown.map((column) => ROLES[column.role] ?? column.role));
    roles.className = "roles";
    box.querySelector("thead")?.replaceChildren(line("th", shown.map((column) => column.name)));
    box.querySelector("tbody")?.replaceChildren(roles, ...rows.map((row) => line("td", row)));
  }

  /**
   * The table of columns: roles are chosen there, which sets the options, and options change the roles.
   * @param {(asked: Fields) => Promise<Inspected>} inspect
   * @param {() => Fields} fields The options as they are.
   */
  function prepare(inspect, fields) {
    const [section, form, state, use, table, notes, rowsBox] =
      ["columns", "dataset-options", "columns-state", "columns-settings", "columns-table", "columns-notes", "rows-table"]
        .map((id) => document.getElementById(id));
    if (!section || !(form instanceof HTMLFormElement) || !state || !use || !table || !notes || !rowsBox) return;
    /** @type {FileColumn[]} */
    let all = [];
    let looks = 0;
    const look = async (/** @type {boolean} */ first) => {
      const now = looks += 1;
      try {
        const found = await inspect([["dataset", section.dataset.dataset ?? ""], ...fields()]);
        // Unless the options have changed again meanwhile.
        if (now === looks) show(found, first);
      } catch (error) {
        if (now === looks) state.textContent = error instanceof Error ? error.message : String(error);
      }
    };
    const set = (/** @type {Setting[]} */ settings) => {
      fill(form, settings);
      look(false);
    };
    const show = (/** @type {Inspected} */ found, /** @type {boolean} */ first) => {
      const filled = first && found.refused !== undefined && found.points !== undefined;
      if (filled) fill(form, found.settings);
      all = found.columns;
      state.textContent = summary(found, filled);
      use.hidden = filled || !found.refused || !found.points;
      use.onclick = () => set(found.settings);
      notes.hidden = !found.notes?.length;
      notes.replaceChildren(...(found.notes ?? []).map((note) => Object.assign(document.createElement("li"), { textContent: note })));
      preview(rowsBox, all);
      table.hidden = all.length === 0;
      const focused = document.activeElement?.id ?? "";
      const choose = (/** @type {FileColumn} */ column, /** @type {string} */ role) =>
        set(withRole(Object.fromEntries(fields()), column, all, role));
      table.querySelector("tbody")?.replaceChildren(...rows(all, choose));
      if (focused.startsWith("role-")) document.getElementById(focused)?.focus();
    };
    form.addEventListener("change", () => look(false));
    complete(form, () => all);
    // Without an option the file may be refused, so the first look fills in what it needs.
    if (section.dataset.large === undefined) look(true);
  }

  return { choices, fill, firstRows, inWords, merged, prepare, reference, roles, summary, withRole };
})();

// @ts-ignore: only where the script is tested without a page is there a module.
if (typeof module !== "undefined") Object.assign(module.exports, columns);
