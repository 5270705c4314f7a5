// Some cards of a section: their elements are created when the block is near the viewport. Before, it has their height.

import { render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

/** @typedef {object} BlockContent
 * @property {readonly string[]} tags of the block
 * @property {readonly string[]} section all tags of its section
 * @property {boolean} isFirst is the block among the first of the page, and shown at once?
 * @property {(tag: string) => unknown} card
 */

/** How far outside the viewport the cards are created: farther than they draw. */
const NEAR = "800px 0px";

const viewport = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) /** @type {CardBlock} */ (target).show();
  },
  { root: document, rootMargin: NEAR }, // The document of a frame has its own viewport.
);

export class CardBlock extends HTMLElement {
  /** @type {BlockContent | null} */
  #content = null;
  #isShown = false;

  /** @param {BlockContent} content */
  set content(content) {
    this.#content = content;
    if (this.#isShown || content.isFirst) this.show();
  }

  /** All tags of its section. */
  get sectionTags() {
    return this.#content?.section ?? [];
  }

  connectedCallback() {
    if (!this.#isShown) viewport.observe(this);
  }

  disconnectedCallback() {
    viewport.unobserve(this);
  }

  /** Creates the cards. */
  show() {
    if (!this.#content) return;
    viewport.unobserve(this);
    this.#isShown = true;
    this.dataset.shown = "";
    const { tags, card } = this.#content;
    render(
      repeat(tags, (tag) => tag, card),
      this,
    );
  }
}

/** Creates the cards of the block that contains a tag, so that its card can be scrolled to.
 * @param {string} tag */
export function showCard(tag) {
  for (const block of document.querySelectorAll("card-block"))
    if (/** @type {CardBlock} */ (block).sectionTags.includes(tag)) /** @type {CardBlock} */ (block).show();
}

customElements.define("card-block", CardBlock);
