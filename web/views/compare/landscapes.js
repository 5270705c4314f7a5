// The landscapes of the compared runs side by side, on one scale.

import { html, nothing } from "lit-html";
import { printList } from "../../lib/lists.js";
import { naturally } from "../../lib/natural_order.js";
import { comparedRuns } from "../../state/runs.js";
import { change, theme, view } from "../../state/view.js";
import { t } from "../../state/words.js";
import { runTitle } from "../card_parts.js";
import { bandsOf, heightsOf, landscapePicture, lossesOf } from "../overview/landscape_picture.js";
import { chosenTags, chooseTag, seriesOf } from "./compared.js";
import { PerRun } from "./per_run.js";

/** @typedef {import("../../api/landscapes.js").LandscapeReply} Reply */

const WIDTH = 360;
const HEIGHT = 270;
/** Runs that the landscape page sets beside the first. */
const BESIDE = 2;

/** Of each run its own last one: that around the end of the training has another name in each. */
const OWN = "";

/** The chosen tag, OWN unless a run has it. */
const shownTag = () => (seriesOf("landscape").has(chosenTags.landscape.value) ? chosenTags.landscape.value : OWN);

/** @param {string} run */
function tagFor(run) {
  const has = [...seriesOf("landscape")].filter(([, rows]) => rows.some((row) => row.run === run)).map(([tag]) => tag);
  const shown = shownTag();
  return shown === OWN ? has.toSorted(naturally).at(-1) : has.find((tag) => tag === shown);
}

export const compareLandscapes = new PerRun("landscapes", (run) => {
  const tag = tagFor(run);
  return tag === undefined ? null : { tag, limit: 1 };
});

export function landscapeSection() {
  const series = seriesOf("landscape");
  if (!series.size) return nothing;
  const { value: replies } = compareLandscapes.replies;
  /** @type {Array<[run: string, reply: Reply]>} */
  const told = comparedRuns.value.flatMap((run) => (replies.get(run)?.landscapes[0] ? [[run, replies.get(run).landscapes[0]]] : []));
  const heights = heightsOf(told.map(([, reply]) => reply).filter(({ error }) => error === null));
  const { value: error } = compareLandscapes.error;
  const without = comparedRuns.value.filter((run) => tagFor(run) === undefined).length;
  return html`<section class="compare-section" data-section="landscape" data-section-tag=${shownTag()}>
    <header><h2>${t("compare.landscape")}</h2>
      <select data-key="tag-landscape" aria-label=${t("compare.tag_of", { kind: t("compare.landscape") })} @change=${(/** @type {Event} */ event) => chooseTag("landscape", /** @type {HTMLSelectElement} */ (event.target).value)}>
        <option value="" .selected=${shownTag() === OWN}>${t("compare.landscape_own")}</option>
        ${[...series].map(([tag, rows]) => html`<option value=${tag} .selected=${tag === shownTag()}>${tag}${rows.length < comparedRuns.value.length ? ` (${rows.length}/${comparedRuns.value.length})` : ""}</option>`)}
      </select>
      ${without ? html`<span class="meta">${t("compare.absent", { n: without })}</span>` : nothing}
      ${heights ? scale(heights) : nothing}
    </header>
    ${error ? html`<p class="page-note" role="alert">${t("step.failed", { reason: error.message })}</p>` : nothing}
    <div class="compare-landscapes">${told.map((one) => figure(one, heights, told))}</div>
  </section>`;
}

/** @param {[run: string, reply: Reply]} one @param {import("../overview/landscape_picture.js").Heights | null} heights @param {Array<[run: string, reply: Reply]>} all */
function figure([run, reply], heights, all) {
  const others = all.filter(([other]) => other !== run).slice(0, BESIDE);
  const beside = printList(others.flatMap(([other, of]) => [other, of.tag]));
  const open = () => change({ page: "landscape", own: { ...view.peek().own, "land.run": run, "land.tag": reply.tag, "land.compare": beside, "land.zoom": "" } });
  return html`<figure data-run=${run} data-tag=${reply.tag}>
    <figcaption>${runTitle(run)}<span class="meta">${reply.tag}</span></figcaption>
    <button title=${t("compare.landscape_open")} aria-label=${`${t("compare.landscape_open")}: ${run}`} @click=${open}>
      ${reply.error !== null || !heights ? html`<p class="hint">${reply.error ?? t("run.landscape_empty")}</p>` : landscapePicture(reply, heights, WIDTH, HEIGHT)}</button>
  </figure>`;
}

/** @param {import("../overview/landscape_picture.js").Heights} heights */
function scale(heights) {
  const [lowest, highest] = lossesOf(heights);
  return html`<span class="landscape-scale" data-lowest=${lowest} data-highest=${highest}>
    <span class="meta">${lowest}</span><span class="bands" aria-hidden="true">${bandsOf(heights, theme.value === "dark").map(({ colour }) => html`<i style="background:${colour}"></i>`)}</span><span class="meta">${highest}${heights.scale === "log" ? ` (${t("compare.log")})` : ""}</span></span>`;
}
