// Controls in a pane's header: older publications, path colour, refinement progress.

import { html, nothing } from "lit-html";
import { tokens } from "../../charts/theme.js";
import { select } from "../../controls/choice.js";
import { ICONS } from "../../controls/icons.js";
import { styles } from "../../data/runs/runs.js";
import { clock } from "../../i18n/times.js";
import { publication, showPublication } from "./model/landscapes.js";
import { choose, pathColour } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */

/** Older publications in the list. */
const MAX_PUBLICATIONS = 200;

/** The colour picker of the path. @param {Landscape} landscape */
export function pathPicker({ run, path }) {
  if (!path?.x.length) return nothing;
  const runColour = tokens().palette[styles.value.get(run)?.colour ?? 0];
  return html`<span class="land-path-colour"><input type="color" data-key="path-colour"
    aria-label=${t("land.path_colour")} title=${t("land.path_colour")} .value=${pathColour.value || runColour}
    @input=${(/** @type {Event} */ event) =>
      choose("land.path", runColour)(/** @type {HTMLInputElement} */ (event.target).value)}>
    ${
      pathColour.value
        ? html`<button class="quiet" data-key="path-colour-reset" title=${t("land.path_colour_reset")}
          aria-label=${t("land.path_colour_reset")} @click=${() => choose("land.path", "")("")}>${ICONS.reset}</button>`
        : nothing
    }</span>`;
}

/** Refinement progress: a mark per level, filled when it is measured. @param {Landscape} landscape */
export function levelMeter({ measured }) {
  if (!measured) return nothing;
  const { level, levels } = measured;
  const text = t(level < levels ? "land.level_of" : "land.level_done", { level, levels });
  return html`<span class="land-level" role="img" aria-label=${text} title=${text} data-level=${level}
    data-levels=${levels}>${Array.from(
      { length: levels },
      (_, at) => html`<i class=${at < level ? "done" : ""}></i>`,
    )}<span>${level < levels ? `${level}/${levels}` : ""}</span></span>`;
}

/** Selects an older publication, if the landscape was published several times. @param {Landscape} landscape */
export function whichPublication({ publications }) {
  const count = publications.steps.length;
  if (count < 2) return nothing;
  const isOneStep = publications.steps.every((step) => step === publications.steps[0]);
  const text = (/** @type {number} */ at) =>
    t("land.publication_of", {
      n: at + 1,
      all: count,
      when: isOneStep ? clock(publications.wallTimes[at]) : t("step.at", { step: publications.steps[at] }),
    });
  const older = Array.from({ length: Math.min(count, MAX_PUBLICATIONS) }, (_, back) => count - 1 - back).slice(1);
  const options = [["", t("land.publication_newest", { n: count })], ...older.map((at) => [String(at), text(at)])];
  const chosen = publication.value === null || publication.value === count - 1 ? "" : String(publication.value);
  return select(
    "land-publication",
    t("land.publication"),
    /** @type {Array<[string, string]>} */ (options),
    chosen,
    (value) => showPublication(value === "" ? null : Number(value)),
  );
}
