// The dataset pipeline of one run: a drawing of its stages, and details of the chosen one.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { fileName, save } from "../../../controls/download.js";
import { empty } from "../../../controls/empty_state.js";
import { ICONS } from "../../../controls/icons.js";
import { LazyCard } from "../../../controls/lazy_card.js";
import { nameOf } from "../../../controls/run_name.js";
import { KINDS, kindOf, stagesOf } from "../../../data/kinds/dataset_stages.js";
import { Listing } from "../../../data/tags/listing.js";
import { set, setting } from "../../../data/view/view.js";
import { grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { datasetDetails } from "./details.js";
import { neighbourOf } from "./keys.js";
import { layOut } from "./layout.js";
import { stageBoxes } from "./stage_boxes.js";
import { svgDocument } from "./svg_document.js";

/** @typedef {import("../../../data/kinds/dataset_stages.js").Stage} Stage */

/** The largest number of stages that are drawn. */
const MAX_STAGES = 120;

/** The id of the chosen stage: its path in the tree. */
const chosenStage = setting("graph.stage", /** @type {string} */ (""));
/** @param {string} id */
const choose = (id) => set({ "graph.stage": id });

class DatasetGraph extends LazyCard {
  #run = signal("");
  #listing = new Listing("lineage/dataset", { run: "" });
  #drawn = computed(() => {
    /** @type {Stage | null} */
    const last = this.#listing.reply.value?.dataset ?? null;
    if (!last) return null;
    const { placed, leftOut } = stagesOf(last, MAX_STAGES);
    return { layout: layOut(placed), leftOut };
  });
  #boxes = computed(() => new Map(this.#drawn.value?.layout.boxes.map((box) => [box.id, box])));

  /** @param {string} run */
  set run(run) {
    this.#run.value = run;
  }

  begin() {
    return [
      effect(() => {
        if (this.#run.value) this.#listing.setQuery({ run: this.#run.value });
      }),
      this.#listing.observe(),
      effect(() => void render(this.#template(), this)),
    ];
  }

  #template() {
    const { reply, error } = this.#listing;
    if (error.value)
      return html`<p class="page-note" role="alert">${t("dataset.failed", { reason: error.value.message })}</p>`;
    if (reply.value?.run !== this.#run.value) return nothing;
    /** @type {string[]} */
    const problems = reply.value.problems;
    const drawn = this.#drawn.value;
    if (!drawn) return empty("no_dataset", t("dataset.none_of", { run: nameOf(this.#run.value) }), problems.join(" "));
    const { layout, leftOut } = drawn;
    const chosen = this.#boxes.value.get(chosenStage.value) ?? null;
    return html`
      ${problems.map((problem) => html`<p class="page-note" data-note="problem">${problem}</p>`)}
      ${
        leftOut
          ? html`<p class="page-note" data-note="left_out">${t("dataset.omitted", { n: grouped(leftOut) })}</p>`
          : nothing
      }
      <div class="dataset" data-stages=${layout.boxes.length}>
        <div class="dataset-drawing">
          <header>${this.#legend()}<button class="quiet" data-key="dataset-svg" title=${t("dataset.download")}
            aria-label=${t("dataset.download")}
            @click=${() => this.#download()}>${ICONS.csv}<span>SVG</span></button></header>
          <div class="dataset-scroll"
            @keydown=${(/** @type {KeyboardEvent} */ event) =>
              this.#onKeyDown(event)}>${stageBoxes(layout, chosen, choose)}</div>
        </div>
        <aside class="dataset-details"
          aria-label=${t("dataset.details")}>${datasetDetails(layout, chosen, choose)}</aside>
      </div>`;
  }

  #legend() {
    const used = new Set([...this.#boxes.value.values()].map(({ stage }) => kindOf(stage)));
    return html`<ul class="dataset-legend" aria-label=${t("dataset.legend")}>${KINDS.filter((kind) =>
      used.has(kind),
    ).map((kind) => html`<li data-kind=${kind}><i></i>${t(`dataset.kind_${kind}`)}</li>`)}</ul>`;
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = /** @type {Element} */ (event.target).getAttribute("data-stage") ?? "";
    const boxes = this.#boxes.peek();
    const box = boxes.get(id);
    if (!box) return;
    if (event.key === "Escape" && !chosenStage.peek()) return;
    if (event.key === "Enter" || event.key === " ") choose(id);
    else if (event.key === "Escape") choose("");
    else {
      const next = neighbourOf([...boxes.values()], box, event.key);
      if (next === undefined) return;
      if (next) /** @type {SVGElement | null} */ (this.querySelector(`[data-stage="${next.id}"]`))?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #download() {
    const drawing = /** @type {SVGSVGElement} */ (this.querySelector(".dataset-scroll svg"));
    const title = `${t("dataset.title")} · ${nameOf(this.#run.peek())}`;
    save(
      new Blob([svgDocument(drawing, title)], { type: "image/svg+xml" }),
      fileName(`${nameOf(this.#run.peek())}_dataset`, "svg"),
    );
  }
}

customElements.define("dataset-graph", DatasetGraph);
