// The menu of labels: which the marked runs have, and a field for a new one.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { popover } from "../../controls/popover.js";
import { allLabels, noteOf } from "../../data/notes/notes.js";
import { editMarked } from "../../data/runs/run_actions.js";
import { t } from "./words.js";

/** Longer lists are truncated and must be searched. */
const MOST = 100;
/** Must be LONGEST_LABEL of server/notes/run_notes.py. */
const LONGEST = 100;

const typed = signal("");

/** @param {readonly string[]} runs */
export function labelMenu(runs) {
  const text = typed.value.trim();
  const matching = allLabels.value.filter((label) => label.toLowerCase().includes(text.toLowerCase()));
  const counts = countsOf(runs);
  return popover(
    {
      id: "actions-labels",
      label: t("actions.labels"),
      toggled: (isOpen) => {
        if (!isOpen) typed.value = "";
      },
    },
    html`<div class="label-menu">
      <input type="text" class="plain" maxlength=${LONGEST} autocomplete="off" placeholder=${t("actions.new_label")}
        aria-label=${t("actions.new_label")} .value=${typed.value} @keydown=${pressed}
        @input=${(/** @type {InputEvent} */ event) =>
          (typed.value = /** @type {HTMLInputElement} */ (event.target).value)}>
      ${
        text && !allLabels.value.includes(text)
          ? html`<button type="button" class="text" data-key="add-label"
            @click=${() => add(text)}>${t("actions.add", { label: text })}</button>`
          : nothing
      }
      <ul>${repeat(
        matching.slice(0, MOST),
        (label) => label,
        (label) => labelRow(label, counts.get(label) ?? 0, runs.length),
      )}</ul></div>`,
  );
}

/** @param {readonly string[]} runs */
function countsOf(runs) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const run of runs) for (const label of noteOf(run).labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

/** @param {string} label @param {number} having @param {number} count */
const labelRow = (label, having, count) => html`<li><label><input type="checkbox" data-label=${label}
  .checked=${having === count} .indeterminate=${having > 0 && having < count}
  @change=${() => (having === count ? remove(label) : add(label))}><span>${label}</span></label></li>`;

/** @param {string} label */
function add(label) {
  typed.value = "";
  return editMarked("label", { add_labels: [label] }, label);
}

/** @param {string} label */
const remove = (label) => editMarked("unlabel", { remove_labels: [label] }, label);

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.key !== "Enter") return;
  const text = typed.peek().trim();
  if (text) void add(text);
  event.preventDefault();
}
