// Links from a run to other pages.

import { html, nothing } from "lit-html";
import { only } from "../../../data/runs/selection.js";
import { changed, printView } from "../../../data/view/address.js";
import { change, view } from "../../../data/view/view.js";

/** A link to a page that shows only this run.
 * @param {string} run @param {Partial<import("../../../data/view/address.js").View>} patch @param {unknown} text
 * @param {string} [key] */
export function linkTo(run, patch, text, key = "") {
  const target = changed(view.peek(), { selection: only(run), runs: "", ...patch });
  const follow = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    change(target);
  };
  return html`<a href="#${printView(target)}" data-key=${key || nothing} @click=${follow}>${text}</a>`;
}
