// Why an expression was refused, with the place of the error.

import { html, nothing } from "lit-html";

/** @param {import("../../../data/series/card_series.js").Feed} feed */
export function expressionError({ tag, error }) {
  const message = error.value?.message ?? "";
  const at = placeIn(message);
  return html`<div class="expression-error"><span>${message}</span>${
    at === null || at > tag.length
      ? nothing
      : html`<code>${tag.slice(0, at)}<mark>${tag.slice(at, at + 1) || "\u00a0"}</mark>${tag.slice(at + 1)}</code>`
  }</div>`;
}

/** The place that the server's message names: "… at character 7, expected …"; null without one.
 * @param {string} message @returns {number | null} from 0 */
function placeIn(message) {
  const [, number] = / at character (\d+), expected /.exec(message) ?? [];
  return number === undefined ? null : Math.max(0, Number(number) - 1);
}
