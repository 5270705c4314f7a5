// Icons of the workspace page, on a 16 px grid.

import { html, svg } from "lit-html";

/** @param {import("lit-html").TemplateResult} shapes */
const icon = (shapes) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${shapes}</svg>`;

export const ICONS = {
  grip: icon(
    svg`<path d="M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01" stroke-width="1.8" stroke-linecap="round"/>`,
  ),
  more: icon(svg`<path d="M3.500 8v.01M8 8v.01M12.500 8v.01" stroke-width="2" stroke-linecap="round"/>`),
  add: icon(svg`<path d="M8 3v10M3 8h10"/>`),
  up: icon(svg`<path d="M4 10l4-4 4 4"/>`),
  down: icon(svg`<path d="M4 6l4 4 4-4"/>`),
  undo: icon(svg`<path d="M5.500 3L2.500 6l3 3M2.500 6h7a3.800 3.800 0 0 1 0 7.500H6"/>`),
  redo: icon(svg`<path d="M10.500 3l3 3-3 3M13.500 6h-7a3.800 3.800 0 0 0 0 7.500H10"/>`),
  settings: icon(
    svg`<path d="M2.500 4.500h6M12 4.500h1.500M2.500 11.500H4M7.500 11.500h6"/><circle cx="10.200" cy="4.500" r="1.700"/><circle cx="5.700" cy="11.500" r="1.700"/>`,
  ),
};
