// A text that may be samples: drawn as a table if it is, and as any other text if not.

import { computed, effect, signal } from "@preact/signals-core";
import { html, render } from "lit-html";
import { failedCell } from "../../../controls/failure.js";
import { LazyCard } from "../../../controls/lazy_card.js";
import { textBody } from "../../../controls/markdown/text_body.js";
import { Query } from "../../../data/client/query.js";
import { RequestQueue } from "../../../data/client/requests.js";
import { isRaw, textRanks } from "../text_settings.js";
import { readSamples, readTexts, rowsPath, textPath } from "./client.js";
import { classCount, isConfusion } from "./confusion_counts.js";
import { confusionView, MAX_CLASSES } from "./confusion_view.js";
import { isRoc } from "./roc_curves.js";
import { rocView } from "./roc_view.js";
import { sampleTable } from "./sample_table.js";
import { order } from "./settings.js";

/** @typedef {import("./client.js").Samples} Samples */
/** @typedef {import("./sample_table.js").Steps} Steps */

/** Rows that are listed first, and at most: the search finds others. */
const FIRST_ROWS = 20;
const MAX_ROWS = 1000;
/** Rows of what is drawn as a picture: those of twenty curves, or of a matrix of sixty classes. */
const DRAWN_ROWS = 25_000;
const AS_RECORDED = { search: "", sort: "", descending: false };

const queue = new RequestQueue(4);

/** Whether a text may be samples; the server decides. @param {string | null} text null = it is long */
export const mayBeSamples = (text) => text === null || /^\s*(\{|\[\s*\{)/.test(text);

class TextSamples extends LazyCard {
  run = "";
  tag = "";
  /** @type {import("@preact/signals-core").Signal<{step: number, text: string | null}>} */
  #moment = signal({ step: 0, text: null });
  /** @type {import("@preact/signals-core").Signal<Steps[]>} */
  #runs = signal([]);
  #limit = signal(FIRST_ROWS);
  /** @type {Query<Samples>} */
  #samples = new Query(readSamples, { queue });
  #whole = new Query(readTexts, { queue });
  #place = computed(() => ({ run: this.run, tag: this.tag, step: this.#moment.value.step, ...textRanks.query.value }));

  /** @param {{step: number, text: string | null}} moment */
  set moment(moment) {
    this.#moment.value = moment;
  }

  /** The runs of the card, with their steps. @param {Steps[]} runs */
  set runs(runs) {
    this.#runs.value = runs;
  }

  /** Whether a confusion matrix has too many classes for a picture, once all of it is there. */
  #isLarge = signal(false);
  /** How the samples are shown. */
  #drawing = computed(() => {
    const columns = this.#samples.value.value?.columns ?? [];
    if (isRoc(columns)) return "roc";
    return isConfusion(columns) && !this.#isLarge.value ? "confusion" : "table";
  });
  #path = computed(() =>
    this.#drawing.value === "table"
      ? rowsPath(this.#place.value, order.value, this.#limit.value)
      : rowsPath(this.#place.value, AS_RECORDED, DRAWN_ROWS),
  );

  begin() {
    return [
      this.#samples.observe(() => this.#samples.select(isRaw.value ? null : this.#path.value)),
      this.#whole.observe(() => this.#whole.select(this.#needsText ? textPath(this.#place.value) : null)),
      effect(() => {
        const reply = this.#samples.value.value;
        if (this.#drawing.value === "confusion" && reply && isTooLarge(reply)) this.#isLarge.value = true;
      }),
      effect(() => void render(this.#template(), this)),
    ];
  }

  /** Whether the text itself is shown, and is not there yet. */
  get #needsText() {
    return this.#moment.value.text === null && (isRaw.value || this.#samples.value.value?.is_samples === false);
  }

  #template() {
    const [raw, reply] = [isRaw.value, this.#samples.value.value];
    const query = this.#needsText ? this.#whole : this.#samples;
    if (query.error.value) return failedCell(query.error.value, () => query.invalidate());
    if (raw || reply?.is_samples === false) return this.#text(raw);
    if (!reply) return waiting();
    return html`<div class="samples" data-as=${this.#drawing.value} data-step=${reply.step}>${this.#drawn(reply)}</div>`;
  }

  /** @param {Samples} reply */
  #drawn(reply) {
    if (this.#drawing.value !== "table") {
      if (reply.rows.length < Math.min(reply.total, DRAWN_ROWS)) return waiting();
      return this.#drawing.value === "roc" ? rocView(reply, this.tag) : confusionView(reply, this.tag);
    }
    const isMore = reply.rows.length < reply.found && this.#limit.value < MAX_ROWS;
    const more = () => (this.#limit.value = Math.min(MAX_ROWS, this.#limit.peek() * 5));
    return sampleTable(reply, this.#place.value, this.#runs.value, isMore ? more : null);
  }

  /** @param {boolean} raw */
  #text(raw) {
    const { text } = this.#moment.value;
    if (text !== null) return textBody(this.tag, { text, dims: [], texts: [] }, raw);
    const whole = this.#whole.value.value?.texts.at(-1);
    return whole ? textBody(this.tag, whole, raw) : waiting();
  }
}

const waiting = () => html`<div class="bone cell-bone" data-state="waiting"></div>`;

/** @param {Samples} reply */
const isTooLarge = ({ total, rows }) => total > DRAWN_ROWS || (rows.length === total && classCount(rows) > MAX_CLASSES);

customElements.define("text-samples", TextSamples);

/** @param {string} tag @param {string} run @param {{step: number, text: string | null}} moment @param {Steps[]} runs */
export const textSamples = (tag, run, moment, runs) =>
  html`<text-samples .tag=${tag} .run=${run} .moment=${moment} .runs=${runs}></text-samples>`;
