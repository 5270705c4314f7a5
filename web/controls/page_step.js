// The step of a page: one for all its cards, but a card may take its own. Without one, everybody shows the latest.

import { computed, signal } from "@preact/signals-core";
import { QuickSetting, stepIn } from "./quick_setting.js";
import { placeOf, sameSteps, unionOf } from "./steps.js";

export class PageStep {
  /** Of each card in sight. @type {import("@preact/signals-core").Signal<ReadonlyMap<object, readonly number[]>>} */
  #inSight = signal(new Map());
  /** @type {Map<string, QuickSetting>} */
  #own = new Map();

  /** @param {string} page its settings are called page.step and page.at.TAG */
  constructor(page) {
    this.page = page;
    this.#shared = new QuickSetting(`${page}.step`);
    /** What the shared slider moves over: the steps of all that is in sight. */
    this.steps = computed(() => unionOf(this.#inSight.value.values()));
    /** null: the latest. */
    this.shared = computed(() => stepIn(this.#shared.text.value));
  }

  /** @type {QuickSetting} */
  #shared;

  /** @param {number | null} step */
  share(step) {
    this.#shared.set(step === null ? "" : String(step));
  }

  /** @param {string} tag */
  #ownOf(tag) {
    const known = this.#own.get(tag) ?? new QuickSetting(`${this.page}.at.${tag}`);
    this.#own.set(tag, known);
    return known;
  }

  /** The step that a card has taken for itself.
   * @param {string} tag */
  own(tag) {
    return stepIn(this.#ownOf(tag).text.value);
  }

  /** @param {string} tag @param {number | null} step null: back to the page's */
  take(tag, step) {
    this.#ownOf(tag).set(step === null ? "" : String(step));
  }

  /** The step that a card should show; infinite when it is the latest.
   * @param {string} tag */
  at(tag) {
    return this.own(tag) ?? this.shared.value ?? Infinity;
  }

  /** @param {object} card in sight @param {readonly number[]} steps that it has something at */
  tell(card, steps) {
    const known = this.#inSight.peek().get(card);
    if (known && sameSteps(known, steps)) return;
    this.#inSight.value = new Map(this.#inSight.peek()).set(card, steps);
  }

  /** @param {object} card that has left the window */
  forget(card) {
    const others = new Map(this.#inSight.peek());
    if (others.delete(card)) this.#inSight.value = others;
  }

  /** @param {number} place among the steps; the last one means the latest, whatever comes */
  choose(place) {
    const steps = this.steps.peek();
    this.share(place >= steps.length - 1 ? null : steps[place]);
  }

  /** @param {number} by places */
  move(by) {
    this.choose(Math.max(0, placeOf(this.steps.peek(), this.shared.peek() ?? Infinity) + by));
  }
}
