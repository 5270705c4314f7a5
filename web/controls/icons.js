// The icons of the page, on a 16 px grid, in the colour of the surrounding text.

import { html, svg } from "lit-html";
import { contours } from "./contour_rings.js";

/** @param {import("lit-html").TemplateResult} shapes */
const icon = (shapes) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${shapes}</svg>`;

export const ICONS = {
  rail: icon(svg`<path d="M2.5 4h11M2.5 8h11M2.5 12h11"/>`),
  sun: icon(
    svg`<circle cx="8" cy="8" r="2.8"/><path
      d="M8 1.6v1.6M8 12.8v1.6M1.6 8h1.6M12.8 8h1.6M3.5 3.5l1.1 1.1M11.4 11.4l1.1 1.1M12.5 3.5l-1.1 1.1
      M4.6 11.4l-1.1 1.1"/>`,
  ),
  moon: icon(svg`<path d="M13 9.6A5.4 5.4 0 1 1 6.4 3a4.3 4.3 0 0 0 6.6 6.6z"/>`),
  system: icon(svg`<circle cx="8" cy="8" r="5.4"/><path class="solid" d="M8 2.6a5.4 5.4 0 0 1 0 10.8z"/>`),
  focus: icon(svg`<circle cx="8" cy="8" r="4.6"/><circle class="solid" cx="8" cy="8" r="1.3"/>`),
  csv: icon(svg`<path d="M8 2.5v7M5 7l3 3 3-3M3 13h10"/>`),
  enlarge: icon(svg`<path d="M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5l-4.4 4.4M2.5 13.5l4.4-4.4"/>`),
  shrink: icon(svg`<path d="M13.5 6.5h-4v-4M2.5 9.5h4v4M9.5 6.5l4-4M6.5 9.5l-4 4"/>`),
  reset: icon(svg`<path d="M3.2 8a4.8 4.8 0 1 0 1.5-3.5M4.4 2v2.9h2.9"/>`),
  only: icon(svg`<circle cx="8" cy="8" r="2.2"/><path d="M8 1.8v2.4M8 11.8v2.4M1.8 8h2.4M11.8 8h2.4"/>`),
  details: icon(svg`<circle cx="8" cy="8" r="5.6"/><path d="M8 7.4v3.4M8 5.2v.2"/>`),
  close: icon(svg`<path d="M4 4l8 8M12 4l-8 8"/>`),
  contents: icon(svg`<path d="M2.5 4h11M5 8h8.5M5 12h8.5"/>`),
  trash: icon(svg`<path d="M2.500 4.500h11M6.500 4.500v-2h3v2M4 4.500l.600 9h6.800l.600-9M6.700 7v4M9.300 7v4"/>`),
  chevron: icon(svg`<path d="M6 4l4 4-4 4"/>`),
  warning: icon(svg`<path d="M8 2.4l6 11H2z"/><path d="M8 6.6v3.2M8 11.6v.2"/>`),
  copy: icon(svg`<path d="M6 6h7v7.500H6zM10 6V2.500H3V10h3"/>`),
  eye: icon(
    svg`<path d="M1.6 8C3.200 5.200 5.400 3.800 8 3.800s4.800 1.400 6.400 4.200c-1.600 2.800-3.800 4.200-6.400 4.200S3.200 10.800 1.600 8z"/><circle cx="8" cy="8" r="1.900"/>`,
  ),
  hidden: icon(
    svg`<path d="M1.600 8C3.200 5.200 5.400 3.800 8 3.800s4.800 1.400 6.400 4.200c-1.600 2.800-3.800 4.200-6.400 4.200S3.200 10.800 1.600 8zM3 13.500l10-11"/>`,
  ),
  baseline: icon(svg`<path d="M4 14V2.500h8l-2 3 2 3H4"/>`),
  link: icon(
    svg`<path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8"/>`,
  ),
  views: icon(svg`<path d="M4 2.500h8v11L8 10.500l-4 3z"/>`),
  star: icon(svg`<path d="M8 2.2l1.8 3.700 4 .6-2.900 2.800.7 4L8 11.400l-3.600 1.900.7-4-2.900-2.800 4-.6z"/>`),
  pencil: icon(svg`<path d="M3 13l.7-3L10.600 3.100l2.300 2.300L6 12.300z"/>`),
  play: icon(svg`<path class="solid" d="M5 3.2v9.600l7.500-4.800z"/>`),
  stop: icon(svg`<path class="solid" d="M4.500 4.500h7v7h-7z"/>`),
  bell: icon(
    svg`<path d="M8 2.300a3.700 3.700 0 0 0-3.700 3.700v3L3 11.300h10L11.700 9V6A3.700 3.700 0 0 0 8 2.300zM6.600 13.300a1.500 1.500 0 0 0 2.800 0"/>`,
  ),
  check: icon(svg`<path d="M3 8.500l3.400 3.400L13 4.800"/>`),
  lasso: icon(
    svg`<path d="M5.500 10.600C3.500 10 2.200 8.600 2.200 7c0-2.500 2.600-4.500 5.800-4.500s5.800 2 5.800 4.500-2.600 4.500-5.800 4.500M5.500 10.600a1.400 1.400 0 1 0 2.400 1c-.1 1.400-1 2.200-2.400 2.400"/>`,
  ),
  search: icon(svg`<circle cx="7" cy="7" r="4"/><path d="M10 10l3.4 3.4"/>`),
};

/** The logo: three contours around a summit. */
export const MARK = html`<svg class="mark" viewBox="-12 -12 24 24" aria-hidden="true">
  ${contours(3, 10, 0.86).map((ring) => svg`<path d=${ring}/>`)}<circle cx="1.35" cy="-1.35" r="1.4"/>
</svg>`;

/** The background of an empty page: many faint contours. */
export const GROUND = html`<svg class="ground" viewBox="-300 -220 600 440" preserveAspectRatio="xMidYMid slice"
  aria-hidden="true">
  ${contours(13, 330, 0.72).map((ring) => svg`<path d=${ring}/>`)}
</svg>`;

/** The line style of a run.
 * @param {import("../data/colours/run_styles.js").LineStyle} style @param {readonly number[]} dash
 * @param {string} [stroke] instead of the colour of the style */
export const swatch = (
  { colour },
  dash,
  stroke = `var(--run-${colour + 1})`,
) => html`<svg class="swatch" viewBox="0 0 18 10" aria-hidden="true">
  <path d="M1 5h16" stroke=${stroke} stroke-dasharray=${dash.join(" ")} />
</svg>`;
