// The fields of the editor: texts, choices, ranges, and lists of tags.

import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../../controls/icons.js";
import { t } from "../words.js";

/** @typedef {import("./editor.js").Target} Target */

/** @param {Event} event */
export const inputText = ({ target }) =>
  /** @type {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} */ (target).value;

/** @param {string} name @param {string} label @param {unknown} control @param {unknown} [more] */
export const field = (name, label, control, more = nothing) => html`
  <label class="ws-field" data-field=${name}><span class="ws-label">${label}${more}</span>${control}</label>`;

/** A field whose value may be inherited. @param {Target} target @param {string} name @param {string} label
 * @param {unknown} control */
export const cascadingField = (target, name, label, control) => html`
  <div class="ws-field" data-field=${name}><span class="ws-label" id="ws-${name}">${label}${originOf(target, name)}</span>${control}</div>`;

/** Which level has the setting, or a button to inherit it. @param {Target} target @param {string} name */
function originOf({ level, get, put }, name) {
  const { from } = get(name);
  if (from === level)
    return level === "workspace"
      ? html`<button class="text" data-reset=${name} @click=${() => put(name, undefined)}>${t("ws.reset")}</button>`
      : html`<button class="text" data-reset=${name} @click=${() => put(name, undefined)}>${t("ws.inherit")}</button>`;
  return from ? html`<small class="meta" data-origin=${from}>${t(`ws.from_${from}`)}</small>` : nothing;
}

/** @param {string} name @param {string} label @param {string} value @param {(text: string) => void} changed
 * @param {{placeholder?: string, list?: string}} [options] */
export const textField = (name, label, value, changed, { placeholder = "", list = "" } = {}) =>
  field(
    name,
    label,
    html`<input class="field" name=${name} .value=${live(value)} placeholder=${placeholder} autocomplete="off" spellcheck="false"
      list=${list || nothing} @change=${(/** @type {Event} */ event) => changed(inputText(event).trim())}>`,
  );

/** @param {string} name @param {string} label @param {Array<[value: string, text: string]>} options @param {string} chosen
 * @param {(value: string) => void} changed */
export const selectField = (name, label, options, chosen, changed) =>
  field(name, label, chooser(name, label, options, chosen, changed));

/** @param {string} name @param {string} label @param {Array<[value: string, text: string]>} options @param {string} chosen
 * @param {(value: string) => void} changed */
export const chooser = (
  name,
  label,
  options,
  chosen,
  changed,
) => html`<select class="select" data-select=${name} aria-label=${label}
  @change=${(/** @type {Event} */ event) => changed(inputText(event))}>${options.map(
    ([value, text]) => html`<option value=${value} .selected=${value === chosen}>${text}</option>`,
  )}</select>`;

/** A list of texts with a field to add one.
 * @param {string} name @param {string} label @param {readonly string[]} values
 * @param {(values: string[]) => void} changed @param {{list?: string, placeholder?: string, more?: (value: string) => unknown}} [options] */
export const listField = (
  name,
  label,
  values,
  changed,
  { list = "", placeholder = "", more = () => nothing } = {},
) => html`
  <div class="ws-field" data-field=${name} role="group" aria-label=${label}>
    <span class="ws-label">${label}</span>
    ${
      values.length
        ? html`<ul class="ws-values">${values.map(
            (
              value,
              at,
            ) => html`<li><input class="field" .value=${live(value)} aria-label=${`${label} ${at + 1}`} list=${list || nothing}
            spellcheck="false" autocomplete="off" @change=${(/** @type {Event} */ event) =>
              changed(values.map((each, place) => (place === at ? inputText(event).trim() : each)).filter(Boolean))}>
            ${more(value)}<button class="quiet" title=${t("ws.remove")} aria-label=${`${t("ws.remove")}: ${value}`}
            @click=${() => changed(values.filter((_, place) => place !== at))}>${ICONS.close}</button></li>`,
          )}</ul>`
        : nothing
    }
    <form class="ws-add" @submit=${(/** @type {SubmitEvent} */ event) => add(event, values, changed)}>
      <input class="field" name="added" list=${list || nothing} placeholder=${placeholder} aria-label=${placeholder}
        spellcheck="false" autocomplete="off" @change=${(/** @type {Event} */ event) =>
          /** @type {HTMLInputElement} */ (event.target).form?.requestSubmit()}>
      <button class="plain">${t("ws.add")}</button></form>
  </div>`;

/** @param {SubmitEvent} event @param {readonly string[]} values @param {(values: string[]) => void} changed */
function add(event, values, changed) {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (
    /** @type {HTMLFormElement} */ (event.currentTarget).elements.namedItem("added")
  );
  const added = input.value.trim();
  input.value = "";
  if (added && !values.includes(added)) changed([...values, added]);
}

/** The two ends of a range; an empty one is automatic.
 * @param {string} label @param {readonly [number | null, number | null]} range
 * @param {(range: [number | null, number | null]) => void} changed */
export const rangeFields = (label, [lo, hi], changed) => {
  const end = (
    /** @type {number | null} */ value,
    /** @type {string} */ name,
    /** @type {(value: number | null) => void} */ put,
  ) =>
    html`<input class="field" type="number" step="any" .value=${live(value === null ? "" : String(value))} placeholder=${t("ws.auto")}
      aria-label=${`${label}, ${name}`} @change=${(/** @type {Event} */ event) => {
        const text = inputText(event);
        put(text === "" || !Number.isFinite(Number(text)) ? null : Number(text));
      }}>`;
  return html`<span class="ws-range"><i>${label}</i>${end(lo, t("ws.lowest"), (value) => changed([value, hi]))}<i>–</i>${end(
    hi,
    t("ws.highest"),
    (value) => changed([lo, value]),
  )}</span>`;
};
