// A recorded text, or a table of texts: formatted or raw.

import { html, nothing } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { t } from "../../i18n/words.js";
import { markdown } from "./markdown.js";
import { MAX_FORMATTED, tokensOf } from "./tokens.js";

/** Limits of what is shown; a note gives the full size. */
const MAX_SHOWN = 100_000;
const MAX_ROWS = 200;
const MAX_COLUMNS = 50;
const MAX_CACHED = 200;

/** Tokens of the texts shown last, so that they are not parsed again.
 * @type {Map<string, ReturnType<typeof tokensOf>>} */
const cache = new Map();

/** @param {string} text */
function cachedTokens(text) {
  const tokens = cache.get(text) ?? tokensOf(text);
  cache.delete(text);
  cache.set(text, tokens);
  if (cache.size > MAX_CACHED) cache.delete(/** @type {string} */ (cache.keys().next().value));
  return tokens;
}

/** @param {string} tag @param {{text: string, dims: number[], texts: string[]}} moment @param {boolean} isRaw */
export const textBody = (tag, { text, dims, texts }, isRaw) =>
  html`<div class="text-body" tabindex="0" data-as=${isRaw ? "raw" : "markdown"}>${
    texts.length ? table(tag, dims, texts, isRaw) : formatted(text, isRaw)
  }</div>`;

/** @param {string} text @param {boolean} [isRaw] as recorded */
export function formatted(text, isRaw = false) {
  const tokens = isRaw ? null : cachedTokens(text);
  if (tokens) return html`<div class="markdown">${markdown(tokens)}</div>`;
  const isCut = text.length > MAX_SHOWN;
  return html`
    ${
      isRaw || text.length <= MAX_FORMATTED
        ? nothing
        : html`<p class="meta" data-note="long">${t("text.long", { most: grouped(MAX_FORMATTED) })}</p>`
    }
    <pre class="raw">${isCut ? text.slice(0, MAX_SHOWN) : text}</pre>
    ${
      isCut
        ? html`<p class="meta"
          data-note="cut">${t("text.cut", { most: grouped(MAX_SHOWN), n: grouped(text.length) })}</p>`
        : nothing
    }`;
}

/** A table: the last dimension is the columns, all others are the rows.
 * @param {string} tag @param {number[]} dims @param {string[]} texts @param {boolean} isRaw */
function table(tag, dims, texts, isRaw) {
  const columns = dims.length > 1 ? Math.max(1, dims[dims.length - 1]) : 1;
  const count = Math.ceil(texts.length / columns);
  const rows = firstRows(texts, columns, count);
  return html`
    <div class="wide"><table class="texts" aria-label=${t("text.table", { tag })}>
      <tbody>${rows.map(
        (row, place) =>
          html`<tr><th scope="row">${rowName(place, dims)}</th>${row.map(
            (text) => html`<td>${formatted(text, isRaw)}</td>`,
          )}</tr>`,
      )}</tbody>
    </table></div>
    ${
      count > rows.length
        ? html`<p class="meta"
          data-note="rows_cut">${t("text.rows_cut", { most: grouped(rows.length), n: grouped(count) })}</p>`
        : nothing
    }
    ${
      columns > MAX_COLUMNS
        ? html`<p class="meta"
          data-note="columns_cut">${t("text.columns_cut", { most: grouped(MAX_COLUMNS), n: grouped(columns) })}</p>`
        : nothing
    }`;
}

/** Returns the rows and columns within the limits.
 * @param {string[]} texts @param {number} columns @param {number} count of rows */
function firstRows(texts, columns, count) {
  const rows = [];
  for (let room = MAX_SHOWN; rows.length < Math.min(count, MAX_ROWS) && room > 0; ) {
    const row = texts.slice(rows.length * columns, rows.length * columns + Math.min(columns, MAX_COLUMNS));
    room -= row.reduce((sum, text) => sum + text.length, 0);
    rows.push(row);
  }
  return rows;
}

/** "2", or "1, 0" in a table of more dimensions.
 * @param {number} row @param {number[]} dims */
function rowName(row, dims) {
  /** @type {number[]} */
  const places = [];
  for (const size of dims.slice(0, Math.max(1, dims.length - 1)).toReversed()) {
    places.unshift(row % size);
    row = Math.floor(row / size);
  }
  return places.join(", ");
}
