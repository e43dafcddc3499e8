// @ts-check
// What the pages of the site can do besides: send a file, ask for work, watch it, cancel it. Results are pages of the server.
"use strict";

/**
 * @typedef {{schema: string, error: string, help?: string}} Problem
 * @typedef {{job: number, kind: string, title: string, state: string, step?: string, done?: number, of?: number,
 *   problem?: Problem, address: string, page: string}} JobInfo
 */

const site = (() => {
  /** Milliseconds between two looks at a job: short at first, so that small work feels immediate. */
  const LOOKS = [60, 120, 250, 500, 1000];

  /** What Cancel does at the moment. @type {(() => void) | null} */
  let cancel = null;
  /** What had the focus before a problem was shown. @type {Element | null} */
  let before = null;
  /** Counts what the panel has shown, so that a late answer does not belong to something else. */
  let shown = 0;

  /**
   * An element that every page of the site has.
   * @param {string} id
   * @returns {HTMLElement}
   */
  function part(id) {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no #${id}`);
    return element;
  }

  /**
   * A problem in one sentence or two.
   * @param {Problem} problem
   * @returns {string}
   */
  function words(problem) {
    // The name of a file at the start stays as it is.
    const start = (/** @type {string} */ text) => /^\S*[._/]\S/.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase();
    const sentence = (/** @type {string} */ text) => start(text) + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
    return problem.help ? `${sentence(problem.error)} ${sentence(problem.help)}` : sentence(problem.error);
  }

  /**
   * How far a job is, in words, and as a share if that is known.
   * @param {{state: string, step?: string, done?: number, of?: number}} job
   * @returns {{text: string, share: number | null}}
   */
  function progress(job) {
    if (job.state === "queued") return { text: "Waiting for other work to end.", share: null };
    if (!job.step) return { text: "Comparing all points.", share: null };
    const known = job.of !== undefined && job.of > 0 && job.done !== undefined;
    const text = known ? `${job.step}: ${job.done} of ${job.of}` : job.step;
    return { text, share: known ? Math.min(1, (job.done ?? 0) / (job.of ?? 1)) : null };
  }

  /**
   * The query of a request: fields that are filled in, and lists with commas between their parts.
   * @param {[string, string][]} fields
   * @returns {string}
   */
  function query(fields) {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    for (const [name, value] of fields) {
      if (value.trim() !== "") found.set(name, [...found.get(name) ?? [], value.trim()]);
    }
    return [...found].map(([name, values]) => `${encodeURIComponent(name)}=${encodeURIComponent(values.join(","))}`).join("&");
  }

  /**
   * The fields of a form.
   * @param {string} id
   * @returns {[string, string][]}
   */
  function fields(id) {
    const form = document.getElementById(id);
    return form instanceof HTMLFormElement ? entries(form) : [];
  }

  /**
   * @param {HTMLFormElement} form
   * @returns {[string, string][]}
   */
  function entries(form) {
    return [...new FormData(form)].flatMap(([name, value]) => typeof value === "string" ? [[name, value]] : []);
  }

  /**
   * Shows the panel with what is being done.
   * @param {string} title
   * @param {string} text
   * @param {number | null} share
   */
  function show(title, text, share) {
    part("job-title").textContent = title;
    const state = part("job-state");
    if (state.textContent !== text) state.textContent = text;
    const bar = part("job-progress");
    if (bar instanceof HTMLProgressElement) {
      bar.hidden = false;
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
    }
    for (const id of ["job-problem", "job-roles", "job-settings"]) part(id).hidden = true;
    part("job-cancel").textContent = "Cancel";
    reveal();
  }

  /** The panel appears, and is looked at once. */
  function reveal() {
    const panel = part("job");
    if (!panel.hidden) return;
    panel.hidden = false;
    panel.scrollIntoView({ block: "nearest" });
  }

  /**
   * Shows why there is no result.
   * @param {string} title
   * @param {string} text
   */
  function fail(title, text) {
    part("job-title").textContent = title;
    part("job-state").textContent = "";
    part("job-progress").hidden = true;
    const problem = part("job-problem");
    problem.textContent = text;
    problem.hidden = false;
    for (const id of ["job-roles", "job-settings"]) part(id).hidden = true;
    const close = part("job-cancel");
    close.textContent = "Close";
    cancel = null;
    shown += 1;
    reveal();
    if (!part("job").contains(document.activeElement)) before = document.activeElement;
    close.focus();
  }

  /** Closes the panel, and gives back the focus. */
  function close() {
    part("job").hidden = true;
    if (before instanceof HTMLElement) before.focus();
    before = null;
  }

  /**
   * What the server answers; a problem is thrown as an error with its words.
   * @param {string} address
   * @param {RequestInit} [options]
   * @returns {Promise<any>}
   */
  async function request(address, options) {
    /** @type {Response} */
    let response;
    try {
      response = await fetch(address, options);
    } catch {
      throw new Error("The server does not answer. It may have been stopped.");
    }
    const body = await response.json().catch(() => null);
    if (!response.ok) throw new Error(body ? words(body) : `The server answered ${response.status}.`);
    return body;
  }

  /**
   * How a dataset is understood with some options.
   * @param {[string, string][]} asked
   * @returns {Promise<Inspected>}
   */
  async function inspect(asked) {
    const found = await request(`/api/inspect?${query([...asked, ["wait", "120"]])}`, { method: "POST" });
    if (!found.columns) throw new Error("To look at the columns takes long. The options can be set by hand.");
    return found;
  }

  /**
   * Shows the roles of the columns of a dataset that was refused, and offers the settings that it needs.
   * @param {string} kind
   * @param {[string, string][]} asked
   */
  async function offer(kind, asked) {
    const now = shown;
    const found = await inspect(asked);
    if (now !== shown || part("job-problem").hidden || !found.refused) return;
    part("job-roles").replaceChildren(...columns.roles(found).map((line) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
    part("job-roles").hidden = false;
    part("job-settings").hidden = !found.points;
    part("job-settings").onclick = () => {
      const form = document.getElementById("dataset-options");
      if (form instanceof HTMLFormElement) columns.fill(form, found.settings);
      ask(kind, columns.merged(asked, found.settings));
    };
  }

  /**
   * Watches a job until it ends, and goes to its page.
   * @param {JobInfo} job
   * @param {[string, string][]} [asked] What was asked for; without it nothing else is offered if the job fails.
   */
  async function follow(job, asked = []) {
    let [current, looks, stopped] = [job, 0, false];
    cancel = () => {
      stopped = true;
      request(job.address, { method: "DELETE" }).catch(() => undefined);
    };
    while (current.state === "queued" || current.state === "running") {
      const { text, share } = progress(current);
      show(job.title, stopped ? "Stopping." : text, share);
      await new Promise((done) => setTimeout(done, LOOKS[Math.min(looks, LOOKS.length - 1)]));
      looks += 1;
      current = await request(job.address);
    }
    cancel = null;
    if (current.state === "done") location.assign(current.page);
    else if (current.problem) fail(job.title, words(current.problem));
    else fail(job.title, "Cancelled.");
    if (current.state === "done") return;
    refresh();
    // Where there is no inspection, the problem says enough.
    if (current.problem && asked.some(([name]) => name === "dataset")) offer(job.kind, asked).catch(() => undefined);
  }

  /**
   * Asks for work, and follows it.
   * @param {string} kind
   * @param {[string, string][]} asked
   */
  async function ask(kind, asked) {
    try {
      show("Asking", "Sending the request.", null);
      await follow(await request(`/api/${kind}?${query(asked)}`, { method: "POST" }), asked);
    } catch (error) {
      fail("This did not work", error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Sends a file, with progress.
   * @param {File} file
   * @returns {Promise<{dataset: string}>}
   */
  function send(file) {
    return new Promise((done, refuse) => {
      const upload = new XMLHttpRequest();
      cancel = () => upload.abort();
      upload.upload.addEventListener("progress", (event) => {
        const share = event.lengthComputable ? event.loaded / event.total : null;
        show(file.name, "Sending the file.", share);
      });
      upload.addEventListener("load", () => {
        /** @type {any} */
        let body = null;
        try { body = JSON.parse(upload.responseText); } catch { /* The status says enough. */ }
        if (upload.status === 201 && body) done(body);
        else refuse(new Error(body ? words(body) : `The server answered ${upload.status}.`));
      });
      upload.addEventListener("error", () => refuse(new Error("The file could not be sent: the server closed the connection.")));
      upload.addEventListener("abort", () => refuse(new Error("Cancelled.")));
      upload.open("POST", `/api/datasets?${query([["name", file.name]])}`);
      upload.send(file);
    });
  }

  /**
   * Sends a file and scores it.
   * @param {File} file
   */
  async function scoreFile(file) {
    try {
      show(file.name, "Sending the file.", null);
      const { dataset } = await send(file);
      refresh();
      await ask("score", [["dataset", dataset], ...fields("upload-form")]);
    } catch (error) {
      fail(file.name, error instanceof Error ? error.message : String(error));
    }
  }

  /** A file that is dropped or chosen is scored. */
  function prepareUpload() {
    const [drop, input] = [document.getElementById("drop"), document.getElementById("file")];
    if (!drop || !(input instanceof HTMLInputElement)) return;
    const take = (/** @type {FileList | null | undefined} */ files) => {
      const file = files?.[0];
      const largest = Number(drop.dataset.largest);
      if (file && file.size > largest) fail(file.name, `The file is larger than the ${(largest / 1e6).toFixed(0)} MB that are allowed.`);
      else if (file) scoreFile(file);
    };
    input.addEventListener("change", () => {
      take(input.files);
      input.value = "";
    });
    for (const kind of ["dragenter", "dragover"]) {
      drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
    }
    for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event instanceof DragEvent) take(event.dataTransfer?.files);
    });
    // A file that is dropped beside the field must not replace the page.
    for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
  }

  /** Buttons that ask about one dataset, or about those that are chosen. */
  function prepareButtons() {
    document.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("button[data-job]") : null;
      if (!(button instanceof HTMLButtonElement)) return;
      const { job = "", dataset } = button.dataset;
      if (dataset) ask(job, [["dataset", dataset], ...fields("dataset-options")]);
      else ask(job, chosen().map((id) => ["datasets", id]));
    });
    for (const form of document.querySelectorAll("form.ask")) {
      if (!(form instanceof HTMLFormElement)) continue;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        ask(form.dataset.job ?? "", entries(form));
      });
    }
    for (const id of ["upload-form", "choice", "dataset-options"]) {
      document.getElementById(id)?.addEventListener("submit", (event) => event.preventDefault());
    }
    const forget = document.getElementById("forget");
    forget?.addEventListener("click", () => {
      request(`/api/datasets/${forget.dataset.dataset}`, { method: "DELETE" })
        .then(() => location.assign("/"), (error) => fail("This did not work", error.message));
    });
  }

  /** @returns {string[]} */
  function chosen() {
    return fields("choice").filter(([name]) => name === "dataset").map(([, id]) => id);
  }

  /** Says how many datasets are chosen, and lets buttons wait for enough of them. */
  function prepareChoice() {
    const [form, all, count] = ["choice", "choose-all", "chosen"].map((id) => document.getElementById(id));
    if (!form || !(all instanceof HTMLInputElement) || !(count instanceof HTMLOutputElement)) return;
    const boxes = () => [...form.querySelectorAll("input[name=dataset]")].filter((box) => box instanceof HTMLInputElement);
    const apply = () => {
      const number = chosen().length;
      count.value = number === 0 ? "none chosen" : `${number} chosen`;
      all.checked = number === boxes().length;
      for (const button of form.querySelectorAll("button[data-least]")) {
        if (button instanceof HTMLButtonElement) button.disabled = number < Number(button.dataset.least);
      }
    };
    all.addEventListener("change", () => { boxes().forEach((box) => { box.checked = all.checked; }); apply(); });
    form.addEventListener("change", apply);
    apply();
  }

  /** Brings the lists of datasets and results up to date. */
  async function refresh() {
    const form = document.getElementById("choice");
    if (!form) return;
    const text = await fetch("/").then((answer) => answer.text()).catch(() => "");
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const kept = chosen();
    for (const place of ["#choice tbody", "#results"]) {
      const now = fresh.querySelector(place);
      if (now) document.querySelector(place)?.replaceWith(document.adoptNode(now));
    }
    for (const box of form.querySelectorAll("input[name=dataset]")) {
      if (box instanceof HTMLInputElement) box.checked = kept.includes(box.value);
    }
    form.dispatchEvent(new Event("change"));
  }

  function start() {
    prepareUpload();
    columns.prepare(inspect, () => fields("dataset-options"));
    prepareButtons();
    prepareChoice();
    part("job-cancel").addEventListener("click", () => {
      if (cancel) cancel();
      else close();
    });
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && !part("job").hidden && !part("job-problem").hidden) close();
    });
    const waiting = document.getElementById("follow");
    if (waiting) {
      request(`/api/jobs/${waiting.dataset.jobId}`).then(follow).catch((error) => fail("This did not work", error.message));
    }
  }

  return { progress, query, start, words };
})();

if (typeof document !== "undefined") site.start();
// @ts-ignore: only where the script is tested without a page is there a module.
if (typeof module !== "undefined") module.exports = site;
