// The menu of colours for the marked runs.

import { html } from "lit-html";
import { popover } from "../../controls/popover.js";
import { PALETTE } from "../../data/colours/palette.js";
import { noteOf } from "../../data/notes/notes.js";
import { editMarked } from "../../data/runs/run_actions.js";
import { t as shared } from "../../pages/overview/words.js";
import { t } from "./words.js";

/** @param {readonly string[]} runs */
export function colourMenu(runs) {
  const colours = new Set(runs.map((run) => noteOf(run).colour));
  const isChosen = (/** @type {string | null} */ colour) => colours.size === 1 && colours.has(colour);
  return popover(
    { id: "actions-colours", label: t("actions.colour") },
    html`<div class="colours" role="group" aria-label=${t("actions.colour")}><div>
      ${PALETTE.map(
        (colour, at) => html`<button type="button" class="colour" aria-pressed=${isChosen(colour)}
          data-chosen=${isChosen(colour)} style="--colour:var(--run-${at + 1})" data-colour=${colour}
          title=${shared("notes.colour_n", { n: at + 1 })} aria-label=${shared("notes.colour_n", { n: at + 1 })}
          @click=${() => editMarked("colour", { colour })}></button>`,
      )}
      <button type="button" class="text" data-key="default-colour"
        @click=${() => editMarked("colour", { colour: null })}>${t("actions.colour_none")}</button></div></div>`,
  );
}
