// Icons of the scalars page, in the style of controls/icons.js.

import { html, svg } from "lit-html";

/** @param {import("lit-html").TemplateResult} shapes */
const icon = (shapes) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${shapes}</svg>`;

export const ICONS = {
  pin: icon(svg`<path d="M6 2.5h4M6.6 2.5v4L4.5 9.2h7L9.4 6.5v-4M8 9.2v4.3"/>`),
  more: icon(
    svg`<circle class="solid" cx="3.4" cy="8" r="1.2"/><circle class="solid" cx="8" cy="8" r="1.2"/><circle
      class="solid" cx="12.6" cy="8" r="1.2"/>`,
  ),
  options: icon(
    svg`<path d="M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6"/><circle cx="10.2" cy="4.5" r="1.7"/><circle cx="5.7"
      cy="11.5" r="1.7"/>`,
  ),
  group: icon(
    svg`<path d="M2 11.5c2.5-6 4-7 6-5s4 0 6-3.5"/><path
      d="M2 13.8c3-4.5 4.500-5.300 6-3.800s4 .5 6-3M2 8.500C4 4 6 2.700 8 4s4-.5 6-2.500" opacity=".5"/>`,
  ),
};
