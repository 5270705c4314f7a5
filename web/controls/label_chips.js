// The labels of a run as chips.

import { html } from "lit-html";

/** @param {readonly string[]} labels */
export const labelChips = (labels) =>
  labels.map((label) => html`<span class="label-chip" title=${label}>${label}</span>`);
