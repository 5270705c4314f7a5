// The colours of a graph in the theme of the moment, as the style sheet has them.

/** @typedef {import("../model/boxes.js").Box["kind"]} Kind */
/** @typedef {object} Inks
 * @property {string} ground
 * @property {string} surface
 * @property {string} text
 * @property {string} note
 * @property {string} edge
 * @property {string} border
 * @property {string} accent
 * @property {string} soft
 * @property {[even: string, odd: string]} inside of opened scopes in one another
 * @property {Record<Kind, string>} fill
 */

/** @type {{theme: string, inks: Inks} | null} */
let known = null;

/** @returns {Inks} */
export function graphInks() {
  const theme = document.documentElement.dataset.theme ?? "light";
  if (known?.theme !== theme) known = { theme, inks: readInks() };
  return known.inks;
}

/** @returns {Inks} */
function readInks() {
  const style = getComputedStyle(document.documentElement);
  const ink = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    ground: ink("--bg"),
    surface: ink("--surface"),
    text: ink("--text"),
    note: ink("--text-3"),
    edge: ink("--graph-edge"),
    border: ink("--graph-border"),
    accent: ink("--accent"),
    soft: ink("--accent-soft"),
    inside: [ink("--graph-inside"), ink("--graph-inside-2")],
    fill: {
      scope: ink("--graph-scope"),
      operator: ink("--graph-operator"),
      parameter: ink("--graph-parameter"),
      constant: ink("--graph-constant"),
      input: ink("--graph-input"),
      output: ink("--graph-output"),
      rest: ink("--graph-rest"),
    },
  };
}

/** How round the corners of a box are. @param {Kind} kind @param {number} height */
export const radiusOf = (kind, height) =>
  ({ scope: 5, operator: 4, parameter: height / 2, constant: 2, input: height / 2, output: height / 2, rest: 4 })[kind];

/** How wide a line is that stands for so many edges. @param {number} count */
export const lineWidth = (count) => Math.min(4, 1 + Math.log2(count) * 0.5);
/** Dashes of edges along which nothing flows. */
export const CONTROL_DASH = [4, 3];
