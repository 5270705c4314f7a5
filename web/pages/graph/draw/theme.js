// The colours of a graph in the current theme, read from the style sheet.

/** @typedef {import("../model/boxes.js").Box["kind"]} Kind */
/** @typedef {object} GraphTheme
 * @property {string} ground
 * @property {string} text
 * @property {string} note
 * @property {string} edge
 * @property {string} border
 * @property {string} accent
 * @property {[even: string, odd: string]} inside of expanded scopes at even and odd depths
 * @property {Record<Kind, string>} fill
 */

/** @type {{name: string, theme: GraphTheme} | null} */
let cached = null;

/** @returns {GraphTheme} */
export function graphTheme() {
  const name = document.documentElement.dataset.theme ?? "light";
  if (cached?.name !== name) cached = { name, theme: readTheme() };
  return cached.theme;
}

/** @returns {GraphTheme} */
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    ground: token("--bg"),
    text: token("--text"),
    note: token("--text-3"),
    edge: token("--graph-edge"),
    border: token("--graph-border"),
    accent: token("--accent"),
    inside: [token("--graph-inside"), token("--graph-inside-2")],
    fill: {
      scope: token("--graph-scope"),
      operator: token("--graph-operator"),
      parameter: token("--graph-parameter"),
      constant: token("--graph-constant"),
      input: token("--graph-input"),
      output: token("--graph-output"),
      rest: token("--graph-rest"),
    },
  };
}

/** The corner radius of a box, in pixels. @param {Kind} kind @param {number} height */
export const cornerRadius = (kind, height) =>
  ({ scope: 5, operator: 4, parameter: height / 2, constant: 2, input: height / 2, output: height / 2, rest: 4 })[kind];

/** The width of a line that represents `count` edges, in pixels. @param {number} count */
export const lineWidth = (count) => Math.min(4, 1 + Math.log2(count) * 0.5);
/** The dash pattern of control edges. */
export const CONTROL_DASH = [4, 3];
