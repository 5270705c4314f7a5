// Links that lead from a run to what other pages draw of it.

import { html, nothing } from "lit-html";
import { changed, printView } from "../../data/address.js";
import { only } from "../../data/selection.js";
import { change, view } from "../../data/view.js";

/** A link to a page that draws this run alone.
 * @param {string} run @param {Partial<import("../../data/address.js").View>} patch @param {unknown} text @param {string} [key] */
export function linkTo(run, patch, text, key = "") {
  const target = changed(view.peek(), { selection: only(run), runs: "", ...patch });
  const follow = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    change(target);
  };
  return html`<a href="#${printView(target)}" data-key=${key || nothing} @click=${follow}>${text}</a>`;
}
