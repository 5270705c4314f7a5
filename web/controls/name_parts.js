// The parts of a run's name: where there is no room, its path is shortened first, then its last part in the middle.

import { html, nothing } from "lit-html";
import { cutLeaf } from "../data/names.js";
import { headAndTail } from "../data/short_names.js";

/** Paths of at most this many characters are shown whole: with an ellipsis they would hardly be shorter. */
const SHORT_PATH = 4;

/** @param {string} name @param {boolean} isAlias an alias has no path */
export function nameParts(name, isAlias) {
  const [path, leaf] = isAlias ? ["", name] : cutLeaf(name);
  const [head, tail] = headAndTail(leaf);
  return html`${path ? html`<span class=${path.length > SHORT_PATH ? "path" : "path short"}>${path}</span>` : nothing}<span
    class="leaf">${head}</span>${tail ? html`<span class="tail">${tail}</span>` : nothing}`;
}
