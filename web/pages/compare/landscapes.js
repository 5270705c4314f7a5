// The landscapes of the compared runs side by side, on one scale.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { bandsOf, DIGITS, heightsOf, landscapePicture, lossesOf } from "../../controls/landscape_picture.js";
import { printList } from "../../data/address_lists.js";
import { naturally } from "../../data/natural_order.js";
import { comparedRuns } from "../../data/runs.js";
import { change, theme, view } from "../../data/view.js";
import { chooseTag, chosenTags, seriesOf } from "./compared.js";
import { PerRun } from "./per_run.js";
import { t } from "./words.js";

/** @typedef {import("../../data/landscapes.js").LandscapeReply} Reply */
/** @typedef {import("../../controls/landscape_picture.js").Heights} Heights */
/** A run that has the tag, with its landscape when it has come. @typedef {{run: string, tag: string, reply: Reply | undefined}} Shown */

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
  return tag === undefined ? null : { tag, limit: 1, digits: DIGITS };
});

export function landscapeSection() {
  const series = seriesOf("landscape");
  if (!series.size) return nothing;
  const { value: replies } = compareLandscapes.replies;
  const shown = comparedRuns.value.flatMap((run) => {
    const tag = tagFor(run);
    return tag === undefined
      ? []
      : [{ run, tag, reply: /** @type {Reply | undefined} */ (replies.get(run)?.landscapes[0]) }];
  });
  const heights = heightsOf(shown.flatMap(({ reply }) => (reply && reply.error === null ? [reply] : [])));
  const { value: error } = compareLandscapes.error;
  const without = comparedRuns.value.length - shown.length;
  // A figure stands in its place before its landscape has come, and stays its run's: else a click could hit another run's.
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
    <div class="compare-landscapes">${repeat(
      shown,
      ({ run }) => run,
      (one) => figure(one, heights, shown),
    )}</div>
  </section>`;
}

/** @param {Shown} one @param {Heights | null} heights @param {Shown[]} all */
function figure({ run, tag, reply }, heights, all) {
  const beside = printList(
    all
      .filter((other) => other.run !== run)
      .slice(0, BESIDE)
      .flatMap((other) => [other.run, other.tag]),
  );
  const open = () =>
    change({
      page: "landscape",
      own: { ...view.peek().own, "land.run": run, "land.tag": tag, "land.compare": beside, "land.zoom": "" },
    });
  return html`<figure data-run=${run} data-tag=${tag}>
    <figcaption>${runTitle(run)}<span class="meta">${tag}</span></figcaption>
    <button title=${t("compare.landscape_open")} aria-label=${`${t("compare.landscape_open")}: ${run}`} @click=${open}>${picture(reply, heights)}</button>
  </figure>`;
}

/** @param {Reply | undefined} reply @param {Heights | null} heights */
function picture(reply, heights) {
  if (!reply) return html`<span class="bone" data-state="waiting"></span>`;
  if (reply.error !== null || !heights) return html`<p class="hint">${reply.error ?? t("run.landscape_empty")}</p>`;
  return landscapePicture(reply, heights, WIDTH, HEIGHT);
}

/** @param {Heights} heights */
function scale(heights) {
  const [lowest, highest] = lossesOf(heights);
  return html`<span class="landscape-scale" data-lowest=${lowest} data-highest=${highest}>
    <span class="meta">${lowest}</span><span class="bands" aria-hidden="true">${bandsOf(heights, theme.value === "dark").map(({ colour }) => html`<i style="background:${colour}"></i>`)}</span><span class="meta">${highest}${heights.scale === "log" ? ` (${t("compare.log")})` : ""}</span></span>`;
}
