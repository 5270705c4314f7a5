// The selection of a run's colour: one of the palette, any other, or the assigned one.

import { html, nothing } from "lit-html";
import { PALETTE } from "../../data/colours/palette.js";
import { saveNotes } from "../../data/notes/notes.js";
import { t } from "./words.js";

/** @param {string} run @param {import("../../data/notes/notes_client.js").Note} note */
export function colourPicker(run, note) {
  const isCustom = note.colour !== null && !PALETTE.includes(note.colour);
  const option = (
    /** @type {string} */ colour,
    /** @type {number} */ at,
  ) => html`<button type="button" class="colour" role="radio" aria-checked=${note.colour === colour}
    style="--colour:var(--run-${at + 1})" data-colour=${colour} title=${t("notes.colour_n", { n: at + 1 })}
    aria-label=${t("notes.colour_n", { n: at + 1 })} @click=${() => saveNotes(run, { colour })}></button>`;
  return html`
    <div class="colours" role="radiogroup" aria-label=${t("notes.colour")}><span>${t("notes.colour")}</span>
      <div>
        ${PALETTE.map(option)}
        <label class="colour any" title=${t("notes.colour_any")} data-chosen=${isCustom}
          style=${isCustom ? `--colour:${note.colour}` : nothing}>
          <input type="color" name="colour" aria-label=${t("notes.colour_any")} .value=${note.colour ?? PALETTE[0]}
            @change=${(/** @type {Event} */ event) =>
              saveNotes(run, { colour: /** @type {HTMLInputElement} */ (event.target).value })}></label>
        ${
          note.colour === null
            ? nothing
            : html`<button type="button" class="text" data-key="own-colour"
              @click=${() => saveNotes(run, { colour: null })}>${t("notes.colour_own")}</button>`
        }
      </div>
    </div>`;
}
