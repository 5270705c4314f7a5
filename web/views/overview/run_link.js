// Links that lead from a run to what other pages draw of it.

import { html, nothing } from "lit-html";
import { only } from "../../lib/selection.js";
import { changed, printView } from "../../lib/view.js";
import { change, view } from "../../state/view.js";

/** A link to a page that draws this run alone.
 * @param {string} run @param {Partial<import("../../lib/view.js").View>} patch @param {unknown} text @param {string} [key] */
export function linkTo(run, patch, text, key = "") {
  const target = changed(view.peek(), { selection: only(run), runs: "", ...patch });
  const follow = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    change(target);
  };
  return html`<a href="#${printView(target)}" data-key=${key || nothing} @click=${follow}>${text}</a>`;
}
