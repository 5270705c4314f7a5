// A card that works only while it is in sight or near it: what it begins when it wakes ends when it sleeps.

/** How far outside the window a card is made ready. */
const NEAR = "240px 0px";

const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = /** @type {LazyCard} */ (target);
      if (isIntersecting) card.wake();
      else card.sleep();
    }
  },
  { rootMargin: NEAR },
);

/** Subclasses say in `begin` what goes on while the card is in sight: effects, listings looked at, observers. */
export class LazyCard extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];

  connectedCallback() {
    sight.observe(this);
  }

  disconnectedCallback() {
    sight.unobserve(this);
    this.sleep();
  }

  get isAwake() {
    return this.#ends.length > 0;
  }

  wake() {
    if (!this.isAwake) this.#ends = this.begin();
  }

  sleep() {
    for (const end of this.#ends.splice(0)) end();
  }

  /** @returns {Array<() => void>} what ends each of the things begun */
  begin() {
    return [];
  }
}
