// The help of the search box: examples of the syntax, which a click enters.

import { html } from "lit-html";
import { change, runFilter } from "../../data/view/view.js";
import { openAt, popover } from "../popover.js";
import { t } from "./words.js";

/** @type {readonly (readonly [example: string, meaning: import("./words.js").TextKey])[]} */
const EXAMPLES = [
  ["digits", "search.ex_text"],
  ["/run-[0-9]+$/", "search.ex_regex"],
  ["label:paper", "search.ex_label"],
  ["state:failed", "search.ex_state"],
  ["is:archived", "search.ex_is"],
  ["lr<0.1 optimizer:adam", "search.ex_param"],
  ["min(validation/loss)<0.2", "search.ex_metric"],
  ["duration>1.5h", "search.ex_time"],
  ["-label:draft", "search.ex_not"],
  ["state:failed OR state:lost", "search.ex_or"],
];

/** @param {string} field the id of the search box */
export const helpButton = (field) => html`<button type="button" class="quiet search-help" data-key="search-help"
  title=${t("search.help")} aria-label=${t("search.help")} aria-haspopup="dialog"
  @click=${(/** @type {MouseEvent} */ event) => openAt(`${field}-help`, event)}>?</button>`;

/** @param {string} field */
export const searchHelp = (field) =>
  popover(
    { id: `${field}-help`, label: t("search.help") },
    html`<h2>${t("search.help")}</h2>
      <dl class="search-examples">${EXAMPLES.map(
        ([example, meaning]) => html`<dt><button type="button" class="text" @click=${() => enter(field, example)}><code
          >${example}</code></button></dt><dd>${t(meaning)}</dd>`,
      )}</dl>
      <p class="meta wrap">${t("search.more")}</p>`,
  );

/** Adds an example to the search. @param {string} field @param {string} example */
function enter(field, example) {
  change({ runs: [runFilter.peek().trim(), example].filter(Boolean).join(" ") });
  document.getElementById(`${field}-help`)?.hidePopover();
  document.getElementById(field)?.focus();
}
