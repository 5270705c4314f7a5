// The landscapes of the compared runs side by side, on one scale.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { failedPart } from "../../controls/failure.js";
import { bandsOf, DIGITS, heightsOf, landscapePicture, lossesOf } from "../../controls/landscape_picture.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { compareNatural } from "../../data/text/natural_order.js";
import { printList } from "../../data/view/address_lists.js";
import { change, theme, view } from "../../data/view/view.js";
import { chooseTag, chosenTags, seriesOf } from "./compared.js";
import { PerRun } from "./per_run.js";
import { t } from "./words.js";

/** @typedef {import("../../data/kinds/landscapes.js").LandscapeReply} Reply */
/** @typedef {import("../../controls/landscape_picture.js").Heights} Heights */
/** A run that has the tag, with its landscape once it is fetched.
 * @typedef {{run: string, tag: string, reply: Reply | undefined}} Shown */

const WIDTH = 360;
const HEIGHT = 270;
/** Runs that the Landscape page shows next to the first. */
const NEIGHBOURS = 2;

/** The last landscape of each run, whose tag differs between runs. */
const OWN = "";

/** The selected tag, or OWN if no run has it. */
const shownTag = () => (seriesOf("landscape").has(chosenTags.landscape.value) ? chosenTags.landscape.value : OWN);

/** @param {string} run */
function tagFor(run) {
  const has = [...seriesOf("landscape")].filter(([, rows]) => rows.some((row) => row.run === run)).map(([tag]) => tag);
  const shown = shownTag();
  return shown === OWN ? has.toSorted(compareNatural).at(-1) : has.find((tag) => tag === shown);
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
  const missing = comparedRuns.value.length - shown.length;
  // Figures are placed before their landscapes are fetched, so that a click never hits another run's figure.
  return html`<section class="compare-section" data-section="landscape" data-section-tag=${shownTag()}>
    <header><h2>${t("compare.landscape")}</h2>
      <select data-key="tag-landscape" aria-label=${t("compare.tag_of", { kind: t("compare.landscape") })} @change=${(
        /** @type {Event} */ event,
      ) => chooseTag("landscape", /** @type {HTMLSelectElement} */ (event.target).value)}>
        <option value="" .selected=${shownTag() === OWN}>${t("compare.landscape_own")}</option>
        ${[...series].map(
          ([tag, rows]) =>
            html`<option value=${tag} .selected=${tag === shownTag()}>${tag}${
              rows.length < comparedRuns.value.length ? ` (${rows.length}/${comparedRuns.value.length})` : ""
            }</option>`,
        )}
      </select>
      ${missing ? html`<span class="meta">${t("compare.absent", { n: missing })}</span>` : nothing}
      ${heights ? scale(heights) : nothing}
    </header>
    ${failedPart(error)}
    <div class="compare-landscapes">${repeat(
      shown,
      ({ run }) => run,
      (entry) => figure(entry, heights, shown),
    )}</div>
  </section>`;
}

/** @param {Shown} entry @param {Heights | null} heights @param {Shown[]} all */
function figure({ run, tag, reply }, heights, all) {
  const neighbours = printList(
    all
      .filter((other) => other.run !== run)
      .slice(0, NEIGHBOURS)
      .flatMap((other) => [other.run, other.tag]),
  );
  const open = () =>
    change({
      page: "landscape",
      own: { ...view.peek().own, "land.run": run, "land.tag": tag, "land.compare": neighbours, "land.zoom": "" },
    });
  return html`<figure data-run=${run} data-tag=${tag}>
    <figcaption>${runTitle(run)}<span class="meta">${tag}</span></figcaption>
    <button title=${t("compare.landscape_open")} aria-label=${`${t("compare.landscape_open")}: ${run}`}
      @click=${open}>${picture(reply, heights)}</button>
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
    <span class="meta">${lowest}</span><span class="bands" aria-hidden="true">${bandsOf(
      heights,
      theme.value === "dark",
    ).map(
      ({ colour }) => html`<i style="background:${colour}"></i>`,
    )}</span><span class="meta">${highest}${heights.scale === "log" ? ` (${t("compare.log")})` : ""}</span></span>`;
}
