// A card that is active only while it is in or near the viewport.

/** How far outside the viewport a card is activated. */
const NEAR = "240px 0px";

const viewport = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = /** @type {LazyCard} */ (target);
      if (isIntersecting) card.activate();
      else card.deactivate();
    }
  },
  // The document of a frame has its own viewport. The second margin is that of the elements that scroll within it.
  { root: document, rootMargin: NEAR, scrollMargin: NEAR },
);

/** Subclasses start in `begin` what runs while the card is active: effects, observations, listeners. */
export class LazyCard extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];

  connectedCallback() {
    viewport.observe(this);
  }

  disconnectedCallback() {
    viewport.unobserve(this);
    this.deactivate();
  }

  get isActive() {
    return this.#ends.length > 0;
  }

  activate() {
    if (!this.isActive) this.#ends = this.begin();
  }

  deactivate() {
    for (const end of this.#ends.splice(0)) end();
  }

  /** @returns {Array<() => void>} functions that end what was started */
  begin() {
    return [];
  }
}
