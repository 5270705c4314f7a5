// One sample as a whole, and beside it the same one at another step or of another run, with their differences.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { select } from "../../../controls/choice.js";
import { copyButton } from "../../../controls/copy_button.js";
import { failedCell } from "../../../controls/failure.js";
import { LazyCard } from "../../../controls/lazy_card.js";
import { nameOf } from "../../../controls/run_name.js";
import { indexAtOrBefore } from "../../../controls/steps.js";
import { Query } from "../../../data/client/query.js";
import { RequestQueue } from "../../../data/client/requests.js";
import { grouped, plainText } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { isShort, marked, turns } from "./cells.js";
import { readSamples, samplePath } from "./client.js";
import { differences } from "./differences.js";
import { beside, setBeside } from "./settings.js";

/** @typedef {import("./client.js").Samples} Samples */
/** @typedef {import("./client.js").Place} Place */
/** @typedef {import("./client.js").Row} Row */
/** @typedef {import("./client.js").Cell} Cell */
/** @typedef {import("./client.js").Turn} Turn */
/** @typedef {import("./sample_table.js").Steps} Steps */

const queue = new RequestQueue(2);

class SampleDetail extends LazyCard {
  /** @type {import("@preact/signals-core").Signal<Place>} */
  #place = signal({ run: "", tag: "", step: 0 });
  /** @type {import("@preact/signals-core").Signal<string[]>} */
  #columns = signal([]);
  /** @type {import("@preact/signals-core").Signal<Row>} */
  #row = signal({ row: 0, key: "", cells: [], is_cut: false });
  /** @type {import("@preact/signals-core").Signal<Steps[]>} */
  #runs = signal([]);
  /** The cells, if those of the table are cut. @type {Query<Samples>} */
  #whole = new Query(readSamples, { queue });
  /** @type {Query<Samples>} */
  #beside = new Query(readSamples, { queue });

  /** @param {Place} place */
  set place(place) {
    this.#place.value = place;
  }

  /** @param {string[]} columns */
  set columns(columns) {
    this.#columns.value = columns;
  }

  /** @param {Row} row */
  set row(row) {
    this.#row.value = row;
  }

  /** @param {Steps[]} runs */
  set runs(runs) {
    this.#runs.value = runs;
  }

  /** Where the other sample is; null = none is shown. */
  #other = computed(() => {
    const [place, other] = [this.#place.value, beside.value];
    return other && this.#runs.value.some(({ run }) => run === other.run) ? { ...place, ...other } : null;
  });

  /** @type {import("@preact/signals-core").ReadonlySignal<Cell[]>} */
  #cells = computed(() => {
    const [row, whole] = [this.#row.value, this.#whole.value.value];
    return (row.is_cut && whole?.rows.find(({ key }) => key === row.key)?.cells) || row.cells;
  });

  begin() {
    return [
      this.#whole.observe(() => {
        const { is_cut: isCut, key } = this.#row.value;
        this.#whole.select(isCut ? samplePath(this.#place.value, key) : null);
      }),
      this.#beside.observe(() => {
        const other = this.#other.value;
        this.#beside.select(other ? samplePath(other, this.#row.value.key) : null);
      }),
      effect(() => void render(this.#template(), this)),
    ];
  }

  #template() {
    const other = this.#other.value;
    const reply = other && this.#beside.value.value;
    const found = reply?.step === other?.step ? reply?.rows[0] : undefined;
    const names = [...new Set([...this.#columns.value, ...(found ? (reply?.columns ?? []) : [])])];
    return html`
      ${this.#chooser()}
      ${other ? this.#state(other) : nothing}
      <dl class="sample-fields" data-beside=${found !== undefined}>${names.map((name) => {
        const own = this.#cells.value[this.#columns.value.indexOf(name)] ?? null;
        return field(name, own, found ? { cell: found.cells[reply?.columns.indexOf(name) ?? -1] ?? null } : null);
      })}</dl>`;
  }

  /** The choice of what is beside. */
  #chooser() {
    const [place, other, runs] = [this.#place.value, this.#other.value, this.#runs.value];
    const run = other?.run ?? place.run;
    const steps = runs.find((each) => each.run === run)?.steps ?? [];
    const nearest = (/** @type {string} */ name) => {
      const known = runs.find((each) => each.run === name)?.steps ?? [];
      return known[Math.max(0, indexAtOrBefore(known, place.step))] ?? place.step;
    };
    const offered = steps.filter((step) => run !== place.run || step !== place.step);
    return html`<div class="sample-beside"><span class="meta">${t("samples.beside")}</span>
      ${
        runs.length > 1
          ? select(
              "beside-run",
              t("samples.beside_run"),
              runs.map((each) => [each.run, nameOf(each.run)]),
              run,
              (name) => setBeside(name === place.run ? null : { run: name, step: nearest(name) }),
            )
          : nothing
      }
      ${select(
        "beside-step",
        t("samples.beside_step"),
        [["", t("samples.beside_none")], ...offered.map(stepOption)],
        other ? String(other.step) : "",
        (step) => setBeside(step === "" ? null : { run, step: Number(step) }),
      )}</div>`;
  }

  /** Why there is nothing beside. @param {Place} other */
  #state(other) {
    const { value: reply, error } = this.#beside;
    if (error.value) return failedCell(error.value);
    if (reply.value && reply.value.step === other.step && !reply.value.rows.length)
      return html`<p class="meta" data-note="no_sample">${t("samples.not_there", { step: grouped(other.step) })}</p>`;
    return nothing;
  }
}

/** @param {number} step @returns {[string, string]} */
const stepOption = (step) => [String(step), t("step.at", { step: grouped(step) })];

/** @param {string} name @param {Cell} own @param {{cell: Cell} | null} other null = nothing is beside */
function field(name, own, other) {
  const [one, two, isTooLong] = bodies(own, other?.cell ?? null, other !== null);
  return html`<dt>${name}${copyButton(t("samples.copy", { name }), () => textOf(own))}${
    isTooLong ? html`<span class="meta" data-note="unmarked">${t("samples.unmarked")}</span>` : nothing
  }</dt>
    <dd class="own">${one}</dd>${other ? html`<dd class="other">${two}</dd>` : nothing}`;
}

/** Returns what both sides show of a column, and whether their differences are not marked.
 * @param {Cell} own @param {Cell} other @param {boolean} isCompared @returns {[unknown, unknown, boolean]} */
function bodies(own, other, isCompared) {
  if (Array.isArray(own) || Array.isArray(other)) return conversations(asTurns(own), asTurns(other), isCompared);
  if (isShort(own) && isShort(other))
    return [value(own, isCompared && own !== other), value(other, own !== other), false];
  return pair(textOf(own), textOf(other), isCompared);
}

/** @param {number | boolean} cell @param {boolean} differs */
const value = (cell, differs) => marked([{ text: plainText(cell), differs }]);

/** @param {string} own @param {string} other @param {boolean} isCompared @returns {[unknown, unknown, boolean]} */
function pair(own, other, isCompared) {
  const parts = isCompared ? differences(own, other) : null;
  return parts ? [marked(parts[0]), marked(parts[1]), false] : [own, other, isCompared];
}

/** The n-th turn is compared with the n-th one.
 * @param {Turn[]} own @param {Turn[]} other @param {boolean} isCompared @returns {[unknown, unknown, boolean]} */
function conversations(own, other, isCompared) {
  const pairs = Array.from({ length: Math.max(own.length, other.length) }, (_, n) =>
    pair(own[n]?.text ?? "", other[n]?.text ?? "", isCompared),
  );
  return [turns(own, (_, n) => pairs[n][0]), turns(other, (_, n) => pairs[n][1]), pairs.some(([, , long]) => long)];
}

/** @param {Cell} cell @returns {Turn[]} */
const asTurns = (cell) => (Array.isArray(cell) ? cell : cell === null ? [] : [{ role: "", text: textOf(cell) }]);

/** @param {Cell} cell */
const textOf = (cell) =>
  Array.isArray(cell) ? cell.map(({ role, text }) => `${role}: ${text}`).join("\n\n") : String(cell ?? "");

customElements.define("sample-detail", SampleDetail);
