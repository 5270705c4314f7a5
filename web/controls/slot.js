// A place in a toolbar, with its name.

import { html } from "lit-html";

/** @param {string} name @param {string} label @param {unknown} content */
export const slot = (name, label, content) =>
  html`<div class="slot" data-slot=${name}><span class="slot-label" aria-hidden="true">${label}</span>${content}</div>`;
