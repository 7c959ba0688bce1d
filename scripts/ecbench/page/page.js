"use strict";
// Filters, charts and tables of the blocks. All names come from runs, so they are only ever set as text.
// The content of an element: gzip in base64.
const content = ({ textContent }) => new Response(new Blob([Uint8Array.from(atob(textContent), (one) => one.charCodeAt(0))]).stream()
  .pipeThrough(new DecompressionStream("gzip"))).text();
const narrow = matchMedia("(max-width: 560px)"), dark = matchMedia("(prefers-color-scheme: dark)");
const TABLE_ROWS = 300, MOST_NARROW = 6;
const library = content(document.getElementById("library")).then((code) => document.head.append(element("script", { textContent: code })));
const tip = document.getElementById("tip");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const bytes = (size) => ["GiB", "MiB", "KiB"].map((unit, place) => [unit, 1024 ** (3 - place)])
  .filter(([, factor]) => size % factor === 0).map(([unit, factor]) => `${size / factor} ${unit}`)[0] || `${size} B`;
const figure = (value) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
const FORMS = { text: String, whole: String, figure, percent: (value) => value.toFixed(1), ratio: (value) => value.toFixed(3), bytes };

function cell(column, value) {
  if (value === null || value === "") return "-";
  const text = FORMS[column.form](value);
  return column.form === "text" && text.length > 1 && "=+-@\t".includes(text[0]) ? `'${text}` : text; // no formula in a spreadsheet
}

class Block {
  constructor(block, number) {
    Object.assign(this, block, { number, state: {}, most: TABLE_ROWS });
    this.column = Object.fromEntries(this.columns.map((column) => [column.key, column]));
    this.shown = this.table.map((key) => this.column[key]);
    this.rows = this.columns[0].of.map((_, place) => Object.fromEntries([["place", place], ...this.columns.map((column) => [column.key, column.of[place]])]));
    this.filters = this.columns.filter((column) => column.filter).map((column) => ({ ...column, values: this.distinct(column, this.rows) }))
      .filter((column) => column.values.length > 1);
    this.build(document.getElementById(`block${number}`));
  }

  distinct(column, rows) {
    return [...new Set(rows.map((row) => row[column.key]))].sort((a, b) => column.form === "text"
      ? String(a).localeCompare(String(b), "en", { numeric: true }) : a - b);
  }

  get chart() { return this.charts[Number(this.state.view) || 0] || this.charts[0]; }

  build(section) {
    this.selects = {};
    const bar = element("div", { className: "filters" });
    const add = (key, title, what) => {
      this.selects[key] = element("select", { onchange: (event) => this.choose(key, event.target.value) });
      bar.append(element("label", { title: what || "" }, title, this.selects[key]));
    };
    if (this.charts.length > 1) add("view", "View");
    for (const column of this.filters) add(column.key, column.title, column.what);
    if (this.charts.some((chart) => chart.of)) add("reference", "Ratio to");
    this.said = element("p", { className: "said", ariaLive: "polite" });
    this.picture = element("div", { ariaHidden: "true" }); // Vega gives it names of its own
    this.chartBox = element("div", { className: "chart", role: "img" }, this.picture);
    this.legend = element("p", { className: "legend" });
    this.command = element("code");
    this.table = element("table");
    this.more = element("button", { type: "button", hidden: true, onclick: () => { this.most = Infinity; this.fill(); } });
    const box = element("div", { className: "box", tabIndex: 0, role: "region", ariaLabel: `Table: ${this.title}` }, this.table);
    section.append(...(bar.childElementCount ? [bar] : []), ...(this.charts.length ? [this.said, this.chartBox, this.legend, this.command] : []), box, this.more);
    const heads = this.shown.map((column) => element("th", { scope: "col", title: column.what || "", className: column.style }, element("button", { type: "button", onclick: () => this.sortBy(column.key) }, column.title)));
    this.table.append(element("thead", {}, element("tr", {}, ...heads)), element("tbody"));
  }

  load(words) { // of the URL
    this.state = { ...Object.fromEntries(Object.entries(this.start).map(([key, value]) => [key, String(value)])), reference: this.reference };
    for (const [word, value] of words) {
      const [number, key] = word.includes(".") ? word.split(/\.(.*)/s) : ["0", word];
      if (Number(number) === this.number) this.state[key] = value;
    }
    this.show();
  }

  save(words) {
    for (const [key, value] of Object.entries(this.state)) {
      const first = key === "reference" ? this.reference : String(this.start[key] ?? "");
      if (value !== first) words.set(this.number ? `${this.number}.${key}` : key, value);
    }
  }

  choose(key, value) {
    const axes = () => key === "view" && ["lines", "heat"].includes(this.chart.kind) ? [this.chart.x, this.chart.y] : [];
    for (const axis of axes()) this.state[axis] ||= String(this.start[axis] ?? "");
    this.state[key] = value;
    for (const axis of axes()) this.state[axis] = ""; // a view along an axis shows all of it
    this.show();
    remember();
  }

  passes(row, without) {
    return this.filters.every(({ key }) => key === without || !this.state[key] || String(row[key]) === this.state[key]);
  }

  show() {
    this.passing = this.rows.filter((row) => this.passes(row));
    this.measured = []; // without rows: for each filter, its values that have some
    for (const column of this.filters) {
      const counts = new Map();
      for (const row of this.rows) if (this.passes(row, column.key)) counts.set(row[column.key], (counts.get(row[column.key]) || 0) + 1);
      const found = column.values.filter((value) => counts.has(value)).map((value) => cell(column, value));
      if (!this.passing.length && found.length) this.measured.push(`${column.title} ${found.join(", ")}`);
      this.options(column.key, [["", "all"], ...column.values.map((value) => [String(value), `${cell(column, value)} (${counts.get(value) || 0})`])]);
    }
    if (this.selects.view) this.options("view", this.charts.map((chart, place) => [place ? String(place) : "", chart.name]));
    if (this.selects.reference) {
      const names = [...new Set(this.passing.map((row) => row[this.label]))];
      this.options("reference", (names.includes(this.state.reference) ? names : [this.state.reference, ...names]).map((name) => [name, name]));
      this.selects.reference.parentElement.hidden = !this.chart.of;
    }
    if (this.charts.length) this.draw();
    this.fill();
  }

  options(key, pairs) {
    const select = this.selects[key];
    select.replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
    select.value = this.state[key] ?? "";
    if (select.selectedIndex < 0) select.prepend(element("option", { value: this.state[key], selected: true }, `${this.state[key]} (0)`));
  }

  labelled(rows, without = []) {
    const varying = this.filters.filter(({ key }) => this.cases.includes(key) && !without.includes(key) && new Set(rows.map((row) => row[key])).size > 1);
    return rows.map((row) => ({ ...row, label: [cell(this.column[this.label], row[this.label]), ...varying.map((column) => cell(column, row[column.key]))].join(", ") }));
  }

  caseOf(row) { return JSON.stringify(this.cases.map((key) => row[key])); }

  // The ratio of each row to the reference in the same case, with the interval of a ratio of two independent figures.
  related(rows, chart) {
    const base = new Map(this.rows.filter((row) => row[this.label] === this.state.reference).map((row) => [this.caseOf(row), row]));
    return rows.filter((row) => base.has(this.caseOf(row))).map((row) => {
      const other = base.get(this.caseOf(row)), [value, low, high] = [chart.of, "low", "high"];
      const ratio = row[value] / other[value], logs = (...found) => found.some((one) => !one) ? NaN : Math.hypot(...found.map(Math.log));
      const below = logs(row[value] / row[low], other[high] / other[value]), above = logs(row[high] / row[value], other[value] / other[low]);
      const known = row !== other && !isNaN(below) && !isNaN(above);
      return { ...row, [chart.value]: ratio, [chart.low]: known ? ratio * Math.exp(-below) : ratio, [chart.high]: known ? ratio * Math.exp(above) : ratio,
        [chart.text]: known ? `${ratio.toFixed(2)} (${(ratio * Math.exp(-below)).toFixed(2)} to ${(ratio * Math.exp(above)).toFixed(2)})` : ratio.toFixed(2) };
    });
  }

  values(chart) {
    let rows = this.passing.filter((row) => row[chart.of || chart.value] !== null);
    if (chart.of) rows = this.related(rows, chart);
    rows.sort((a, b) => (chart.lowest_first ? -1 : 1) * (b[chart.value] - a[chart.value]));
    rows = this.labelled(rows, [chart.x, chart.y]);
    if (chart.kind === "heat") {
      const seen = new Set(), key = (row) => JSON.stringify([row[chart.x], row[chart.y]]);
      rows = rows.filter((row) => row[chart.x] !== null && row[chart.y] !== null && !seen.has(key(row)) && seen.add(key(row)));
      if (chart.y !== this.label) rows.sort((a, b) => String(a[chart.y]).localeCompare(String(b[chart.y]), "en", { numeric: true }));
    } else if (chart.kind === "lines") {
      const series = new Set([...new Set(rows.map((row) => row.label))].slice(0, chart.most));
      rows = rows.filter((row) => series.has(row.label));
    }
    const most = chart.kind === "bars" || chart.kind === "ratios" ? chart.most : Infinity, highest = Math.max(...rows.map((row) => row[chart.value]));
    const fits = !narrow.matches || new Set(rows.map((row) => row[chart.x])).size <= MOST_NARROW;
    return rows.slice(0, most).map((row) => ({ ...row, share: row[chart.value] / highest,
      short: fits ? figure(row[chart.value]) : "", ...(chart.text === "figure" ? { figure: this.written(row, chart.value) } : {}), ...(chart.limit && row[chart.limit] > chart.far * highest ? { [chart.limit]: null } : {}) }));
  }

  draw() {
    const chart = this.chart, values = this.values(chart), all = this.passing.length;
    this.said.textContent = chart.of && all && !values.length ? `${this.state.reference} has no row here; choose another in "Ratio to".` : this.sentence(chart);
    const drawn = ([, of]) => !of || (chart[of] && values.some((row) => (row[chart[of]] ?? null) === null === (of === "x")));
    this.legend.textContent = (values.length ? chart.legend.filter(drawn).map(([text]) => text).join(" ") : "") + (values.length < all && chart.kind !== "heat" && values.length ? ` Drawn: ${values.length} of ${all} rows.` : "");
    this.command.textContent = values[0]?.command ? `Repeat this figure: ${values[0].command}` : "";
    this.chartBox.ariaLabel = `${chart.name}. ${this.said.textContent}`;
    this.view?.finalize();
    this.picture.replaceChildren();
    if (!values.length) return;
    const spec = { ...chart[narrow.matches ? "narrow" : "wide"], data: { values }, width: this.picture.clientWidth };
    if (spec.usermeta) spec.height = spec.usermeta.step * new Set(values.map((row) => row[spec.usermeta.of])).size;
    delete spec.usermeta;
    const turn = this.turn = (this.turn || 0) + 1;
    library.then(() => turn === this.turn && vegaEmbed(this.picture, spec, { actions: false, defaultStyle: false, renderer: "svg", mode: "vega-lite",
      logLevel: 1, config: data.configs[Number(dark.matches)], tooltip: (_, event, __, value) => this.point(event, value) })).then((made) => { this.view = made; });
  }

  // The best row of each colour.
  sentence(chart) {
    if (chart.kind === "scatter" || chart.lowest_first) return "";
    const { of: base, value, text, colour, limit } = { ...chart, ...(chart.of ? this.charts.find((one) => one.kind === "bars") : {}) };
    const rows = this.labelled(this.passing.filter((row) => row[base || value] !== null)).sort((a, b) => b[value] - a[value]), best = new Map();
    if (!rows.length) return `No row has these values.${this.measured.length ? ` Measured: ${this.measured.join("; or ")}.` : ""}`;
    for (const row of rows) if (!best.has(row[colour])) best.set(row[colour], row);
    const parts = [...best].map(([name, row]) => `${colour && name ? `${cell(this.column[colour], name)}: ` : ""}${row.label} ${this.written(row, value, true)}${row.cores ? `, ${figure(row.cores)} cores for 100 Gbit/s` : ""}`
      + (row.verdict && row.verdict !== name ? `; ${row.verdict}` : ""));
    return parts.join("\n") + (limit && rows[0][limit] ? `\nroofline: ${figure(rows[0][limit])} GB/s` : "");
  }

  written(row, value, has_unit) {
    const { title } = this.column[value];
    return figure(row[value]) + (row.mark || "") + (has_unit && title.endsWith("/s") ? ` ${title}` : "") + (row.interval ? ` ${row.interval}` : "");
  }

  point(event, value) {
    const row = value && this.rows[value.place];
    tip.hidden = !row;
    if (!row) return;
    tip.replaceChildren(element("dl", {}, ...this.columns.filter((column) => column.tip && row[column.key] !== null && row[column.key] !== "")
      .flatMap((column) => [element("dt", {}, column.title), element("dd", {}, cell(column, row[column.key]))])));
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
    tip.style.top = `${Math.max(4, event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18)}px`;
  }

  sortBy(key) {
    const [now, way] = (this.state.sort || "").split(" ");
    this.choose("sort", `${key} ${now === key ? (way === "up" ? "down" : "up") : this.column[key].form === "text" ? "up" : "down"}`);
  }

  fill() {
    const [key, way] = (this.state.sort || `${this.charts[0] && this.charts[0].kind !== "scatter" ? this.charts[0].value : ""} ${this.charts[0]?.lowest_first ? "up" : "down"}`).split(" "), turn = way === "up" ? 1 : -1;
    const rows = [...this.passing], empty = (value) => value === null || value === "" || value === undefined;
    if (this.column[key]) {
      rows.sort((a, b) => empty(a[key]) - empty(b[key]) || turn * (this.column[key].form === "text"
        ? String(a[key]).localeCompare(String(b[key]), "en", { numeric: true }) : a[key] - b[key]));
    }
    this.table.tBodies[0].replaceChildren(...rows.slice(0, this.most).map((row) => element("tr", {}, ...this.shown.map((column) =>
      element("td", { className: column.style }, cell(column, row[column.key]))))));
    [...this.table.tHead.rows[0].cells].forEach((head, place) => this.shown[place].key === key
      ? head.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending") : head.removeAttribute("aria-sort"));
    this.more.hidden = rows.length <= this.most;
    this.more.textContent = `Show all ${rows.length} rows`;
  }
}

let data, blocks = [];

function remember() {
  const words = new URLSearchParams();
  for (const block of blocks) block.save(words);
  history.replaceState(null, "", `#${words}`);
}

function load() {
  const words = [...new URLSearchParams(location.hash.slice(1))];
  for (const block of blocks) block.load(words);
}

content(document.getElementById("data")).then((text) => {
  data = JSON.parse(text);
  blocks = data.blocks.map((block, number) => new Block(block, number));
  load();
});
addEventListener("hashchange", load);
// The hash contains the selection, so links within the page must not change it.
for (const link of document.querySelectorAll("nav a")) link.onclick = (event) => {
  const target = document.querySelector(link.hash);
  event.preventDefault();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView();
};
addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
const redraw = () => { for (const block of blocks) if (block.charts.length) block.draw(); };
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
dark.addEventListener("change", redraw);
