// Renders Markdown tokens. Only the listed types are rendered; everything else, such as HTML, is shown as plain text.

import { html, nothing } from "lit-html";
import { t } from "../../i18n/words.js";
import { safeAddress, withCharacters } from "./tokens.js";

/** @typedef {import("./tokens.js").Token} Token */
/** A token of any type, with the fields of that type. @typedef {Record<string, any>} Fields */

/** Deeper nesting is shown as plain text. */
const DEEPEST = 40;

/** @param {Token[]} tokens @param {number} [depth] @returns {unknown} */
export const markdown = (tokens, depth = 0) =>
  tokens.map((token) =>
    depth < DEEPEST && Object.hasOwn(ALLOWED, token.type) ? ALLOWED[token.type](token, depth + 1) : token.raw,
  );

/** @param {Fields} token @param {number} depth @returns {unknown} its content */
const inner = ({ tokens, text }, depth) => (tokens ? markdown(tokens, depth) : withCharacters(text));

/** @type {Record<string, (token: Fields, depth: number) => unknown>} */
const ALLOWED = {
  space: () => nothing,
  def: () => nothing,
  br: () => html`<br>`,
  hr: () => html`<hr>`,
  paragraph: (token, depth) => html`<p>${inner(token, depth)}</p>`,
  heading: (token, depth) =>
    html`<div class="heading" role="heading" aria-level=${Math.min(6, token.depth + 3)}
      data-depth=${token.depth}>${inner(token, depth)}</div>`,
  blockquote: (token, depth) => html`<blockquote>${inner(token, depth)}</blockquote>`,
  code: ({ text, lang }) => html`<pre tabindex="0" data-lang=${lang ?? ""}><code>${text}</code></pre>`,
  list: ({ ordered, start, items }, depth) =>
    ordered
      ? html`<ol start=${start}>${items.map((/** @type {Fields} */ item) => listItem(item, depth))}</ol>`
      : html`<ul>${items.map((/** @type {Fields} */ item) => listItem(item, depth))}</ul>`,
  table: (token, depth) => table(token, depth),
  text: inner,
  escape: ({ text }) => text,
  strong: (token, depth) => html`<strong>${inner(token, depth)}</strong>`,
  em: (token, depth) => html`<em>${inner(token, depth)}</em>`,
  del: (token, depth) => html`<del>${inner(token, depth)}</del>`,
  codespan: ({ text }) => html`<code>${text}</code>`,
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  link: (token, depth) => link(token.href, token.title, inner(token, depth)),
  image: ({ href, title, text }) => link(href, title, t("text.picture", { text: text || href })),
};

/** @param {Fields} item @param {number} depth */
const listItem = (item, depth) => html`<li class=${item.task ? "task" : ""}>${markdown(item.tokens, depth)}</li>`;

/** Images are links too: viewing a page never fetches anything from other servers.
 * @param {string} href @param {string | null | undefined} title @param {unknown} content */
function link(href, title, content) {
  const address = safeAddress(href);
  return address
    ? html`<a href=${address} title=${title || address} target="_blank" rel="noopener noreferrer">${content}</a>`
    : html`<span class="no-link" title=${href}>${content}</span>`;
}

/** @param {Fields} token @param {number} depth */
const table = ({ header, rows, align }, depth) => html`
  <div class="wide" tabindex="0"><table>
    <thead><tr>${header.map(
      (/** @type {Fields} */ cell, /** @type {number} */ column) => html`<th
      data-align=${align[column] ?? ""}>${inner(cell, depth)}</th>`,
    )}</tr></thead>
    <tbody>${rows.map(
      (/** @type {Fields[]} */ row) =>
        html`<tr>${row.map(
          (cell, column) => html`<td
      data-align=${align[column] ?? ""}>${inner(cell, depth)}</td>`,
        )}</tr>`,
    )}</tbody>
  </table></div>`;
