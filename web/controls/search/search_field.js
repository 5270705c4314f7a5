// The search box of runs, the same on every page: the syntax of the server, with completion, help and errors.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { found, searchError } from "../../data/runs/run_search.js";
import { change, runFilter } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { ICONS } from "../icons.js";
import { active, closeList, completed, moveActive, openList, optionsOf } from "./completion.js";
import { helpButton, searchHelp } from "./help.js";
import { reasonOf } from "./reason.js";
import { t } from "./words.js";

/** @typedef {import("./completion.js").Option} Option */

/** @param {string} id */
export function searchField(id) {
  const options = optionsOf(id);
  const note = noteOf();
  return html`
    <div class="filter search">
      ${ICONS.search}
      <input id=${id} type="text" spellcheck="false" autocomplete="off" placeholder=${t("search.label")}
        aria-label=${t("search.label")} role="combobox" aria-autocomplete="list" aria-expanded=${options.length > 0}
        aria-controls="${id}-options" aria-activedescendant=${active.value < 0 ? nothing : `${id}-${active.value}`}
        .value=${runFilter.value} aria-invalid=${searchError.value !== null}
        aria-describedby=${note ? `${id}-error` : nothing}
        @input=${typedIn} @keydown=${pressed} @blur=${closeList}>
      ${
        runFilter.value
          ? html`<button type="button" class="quiet search-clear" title=${t("search.clear")}
            aria-label=${t("search.clear")} @click=${() => clear(id)}>${ICONS.close}</button>`
          : nothing
      }
      ${helpButton(id)}
      <ul id="${id}-options" class="search-options" role="listbox" aria-label=${t("search.options")}
        ?hidden=${!options.length}>${repeat(
          options,
          ({ kind, text }) => `${kind} ${text}`,
          (option, at) => optionRow(id, option, at),
        )}</ul>
      ${note && !options.length ? html`<p class="field-error" id="${id}-error" role="alert">${note}</p>` : nothing}
    </div>
    ${searchHelp(id)}`;
}

/** Why the search is invalid, or what it names in vain. */
function noteOf() {
  if (searchError.value) return t("search.invalid", { reason: reasonOf(searchError.value.message) });
  const { unknown } = found.value;
  return runFilter.value && unknown.length ? t("search.unknown", { names: unknown.join(", ") }) : "";
}

/** @param {string} id @param {Option} option @param {number} at */
const optionRow = (id, option, at) => html`<li id="${id}-${at}" role="option" aria-selected=${at === active.value}
  @pointerdown=${(/** @type {Event} */ event) => {
    event.preventDefault(); // The field keeps the focus.
    accept(/** @type {HTMLInputElement} */ (document.getElementById(id)), option);
  }}><span>${option.text}</span><span class="meta">${
    option.runs === null
      ? t(option.kind === "value" ? "search.value" : "search.field")
      : `${option.kind === "label" ? "" : `${t(`search.${option.kind}`)} · `}${t("search.runs", { n: grouped(option.runs) })}`
  }</span></li>`;

/** @param {InputEvent} event */
function typedIn({ target }) {
  const input = /** @type {HTMLInputElement} */ (target);
  change({ runs: input.value });
  if (input.value) openList(input);
  else closeList();
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const options = optionsOf(input.id);
  const option = options[active.peek()];
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (options.length) moveActive(input.id, event.key === "ArrowDown" ? 1 : -1);
    else openList(input);
  } else if ((event.key === "Enter" || event.key === "Tab") && option) accept(input, option);
  else if ((event.key === "Enter" || event.key === "Escape") && options.length) closeList();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {HTMLInputElement} input @param {Option} option */
function accept(input, option) {
  const { text, cursor } = completed(input.value, option);
  change({ runs: text });
  input.value = text;
  input.setSelectionRange(cursor, cursor);
  openList(input);
}

/** @param {string} id */
function clear(id) {
  change({ runs: "" });
  document.getElementById(id)?.focus();
}
