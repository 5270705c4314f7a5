// The fields for the slice: one for each dimension, and one for the slice as text.

import { html, nothing } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { entry, invalidInput, showSlice, slice } from "./displayed_slice.js";
import { parseSlice, partsOf } from "./model/slice.js";
import { t } from "./words.js";

/** @typedef {import("./model/slice.js").Problem} Problem */

export function sliceFields() {
  const shown = slice.value;
  const dims = entry.value?.dims ?? [];
  if (!shown || !dims.length) return nothing;
  const texts = invalidInput.value?.texts ?? shown.texts;
  const problem = invalidInput.value?.problem ?? shown.problem;
  const described = problem ? "tensor-slice-error" : nothing;
  return html`
    <div class="tensor-slice" role="group" aria-label=${t("tensor.slice")}>
      ${
        dims.length < 9
          ? dims.map(
              (size, dim) => html`
        <label class="tensor-dim"><span class="meta">${t("tensor.dim", { dim })}<b>${grouped(size)}</b></span>
          <input type="text" spellcheck="false" autocomplete="off" data-dim=${dim} .value=${texts[dim] ?? ""}
            aria-invalid=${problem?.dim === dim && problem.kind !== "too_many_indices"}
            aria-describedby=${described} @input=${() => validate(fieldTexts(), dims)}
            @change=${() => applyFields(fieldTexts(), dims)}></label>`,
            )
          : nothing
      }
      <label class="tensor-dim text"><span class="meta">${t("tensor.slice")}</span>
        <input type="text" id="tensor-slice" spellcheck="false" autocomplete="off" .value=${`[${texts.join(",")}]`}
          aria-invalid=${problem !== null} aria-describedby=${described}
          @change=${(/** @type {Event} */ event) =>
            applyText(/** @type {HTMLInputElement} */ (event.target).value, dims)}></label>
      ${
        problem
          ? html`<p class="field-error" id="tensor-slice-error" role="alert">${problemText(problem)}</p>`
          : nothing
      }
    </div>`;
}

/** The texts in the fields of the dimensions. */
const fieldTexts = () =>
  [...document.querySelectorAll(".tensor-dim input[data-dim]")].map(
    (field) => /** @type {HTMLInputElement} */ (field).value,
  );

/** Shows what is wrong with the input while it is typed.
 * @param {string[]} texts @param {number[]} dims */
function validate(texts, dims) {
  const { problem } = partsOf(texts, dims);
  invalidInput.value = problem ? { texts, problem } : null;
}

/** @param {string[]} texts @param {number[]} dims */
function applyFields(texts, dims) {
  validate(texts, dims);
  if (!invalidInput.peek()) showSlice(`[${texts.map((text) => text.trim() || ":").join(",")}]`);
}

/** @param {string} text @param {number[]} dims */
function applyText(text, dims) {
  const { texts, problem } = parseSlice(text, dims);
  if (problem)
    invalidInput.value = {
      texts: problem.kind === "too_many_indices" ? text.replace(/^\s*\[|\]\s*$/g, "").split(",") : texts,
      problem,
    };
  else showSlice(text.trim());
}

/** @param {Problem} problem */
function problemText({ kind, dim, text, low, high }) {
  if (kind === "too_many_indices") return t("tensor.too_many_indices", { n: low, rank: high });
  return t(`tensor.${kind}`, { dim, text, low, high });
}
