// Which part of the tensor is shown: a field a dimension, and all of them as one text.

import { html, nothing } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { draft, entry, showSlice, slice } from "./displayed_slice.js";
import { parseSlice, partsOf } from "./model/slice.js";
import { t } from "./words.js";

/** @typedef {import("./model/slice.js").Problem} Problem */

export function sliceFields() {
  const shown = slice.value;
  const dims = entry.value?.dims ?? [];
  if (!shown || !dims.length) return nothing;
  const texts = draft.value?.texts ?? shown.texts;
  const problem = draft.value?.problem ?? shown.problem;
  const described = problem ? "tensor-slice-error" : nothing;
  return html`
    <div class="tensor-slice" role="group" aria-label=${t("tensor.slice")}>
      ${
        dims.length < 9
          ? dims.map(
              (size, dim) => html`
        <label class="tensor-dim"><span class="meta">${t("tensor.dim", { dim })}<b>${grouped(size)}</b></span>
          <input type="text" spellcheck="false" autocomplete="off" data-dim=${dim} .value=${texts[dim] ?? ""} aria-invalid=${problem?.dim === dim && problem.kind !== "many"}
            aria-describedby=${described} @input=${() => check(typed(), dims)} @change=${() => take(typed(), dims)}></label>`,
            )
          : nothing
      }
      <label class="tensor-dim text"><span class="meta">${t("tensor.slice")}</span>
        <input type="text" id="tensor-slice" spellcheck="false" autocomplete="off" .value=${`[${texts.join(",")}]`} aria-invalid=${problem !== null} aria-describedby=${described}
          @change=${(/** @type {Event} */ event) => takeText(/** @type {HTMLInputElement} */ (event.target).value, dims)}></label>
      ${problem ? html`<p class="field-error" id="tensor-slice-error" role="alert">${explained(problem)}</p>` : nothing}
    </div>`;
}

/** What stands in the fields. */
const typed = () =>
  [...document.querySelectorAll(".tensor-dim input[data-dim]")].map(
    (field) => /** @type {HTMLInputElement} */ (field).value,
  );

/** Says while it is typed what is wrong with it.
 * @param {string[]} texts @param {number[]} dims */
function check(texts, dims) {
  const { problem } = partsOf(texts, dims);
  draft.value = problem ? { texts, problem } : null;
}

/** @param {string[]} texts @param {number[]} dims */
function take(texts, dims) {
  check(texts, dims);
  if (!draft.peek()) showSlice(`[${texts.map((text) => text.trim() || ":").join(",")}]`);
}

/** @param {string} text @param {number[]} dims */
function takeText(text, dims) {
  const { texts, problem } = parseSlice(text, dims);
  if (problem)
    draft.value = { texts: problem.kind === "many" ? text.replace(/^\s*\[|\]\s*$/g, "").split(",") : texts, problem };
  else showSlice(text.trim());
}

/** @param {Problem} problem */
function explained({ kind, dim, text, low, high }) {
  if (kind === "many") return t("tensor.many", { n: low, rank: high });
  return t(`tensor.${kind}`, { dim, text, low, high });
}
