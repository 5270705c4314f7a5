// The step of a page: shared by its cards, except those with their own step. By default cards show the latest step.

import { computed, signal } from "@preact/signals-core";
import { indexAtOrBefore, sameSteps, unionOf } from "./steps.js";
import { parseStep, ThrottledSetting } from "./throttled_setting.js";

export class PageStep {
  /** The steps of each visible card.
   * @type {import("@preact/signals-core").Signal<ReadonlyMap<object, readonly number[]>>} */
  #stepsByCard = signal(new Map());
  /** @type {Map<string, ThrottledSetting>} */
  #own = new Map();

  /** @param {string} page the prefix of its settings, page.step and page.at.TAG */
  constructor(page) {
    this.page = page;
    this.#shared = new ThrottledSetting(`${page}.step`);
    /** The steps of the shared slider: those of all visible cards. */
    this.steps = computed(() => unionOf(this.#stepsByCard.value.values()));
    /** null = the latest. */
    this.shared = computed(() => parseStep(this.#shared.text.value));
  }

  /** @type {ThrottledSetting} */
  #shared;

  /** @param {number | null} step */
  setShared(step) {
    this.#shared.set(step === null ? "" : String(step));
  }

  /** @param {string} tag */
  #ownOf(tag) {
    const known = this.#own.get(tag) ?? new ThrottledSetting(`${this.page}.at.${tag}`);
    this.#own.set(tag, known);
    return known;
  }

  /** The card's own step; null if it follows the page.
   * @param {string} tag */
  own(tag) {
    return parseStep(this.#ownOf(tag).text.value);
  }

  /** @param {string} tag @param {number | null} step null = follow the page */
  setOwn(tag, step) {
    this.#ownOf(tag).set(step === null ? "" : String(step));
  }

  /** The step that a card shows; Infinity for the latest.
   * @param {string} tag */
  at(tag) {
    return this.own(tag) ?? this.shared.value ?? Infinity;
  }

  /** @param {object} card visible @param {readonly number[]} steps at which it has data */
  report(card, steps) {
    const before = this.#stepsByCard.peek().get(card);
    if (before && sameSteps(before, steps)) return;
    this.#stepsByCard.value = new Map(this.#stepsByCard.peek()).set(card, steps);
  }

  /** @param {object} card no longer visible */
  remove(card) {
    const others = new Map(this.#stepsByCard.peek());
    if (others.delete(card)) this.#stepsByCard.value = others;
  }

  /** @param {number} place index into the steps; the last one means the latest, also when more steps arrive */
  choose(place) {
    const steps = this.steps.peek();
    this.setShared(place >= steps.length - 1 ? null : steps[place]);
  }

  /** @param {number} by places */
  move(by) {
    this.choose(Math.max(0, indexAtOrBefore(this.steps.peek(), this.shared.peek() ?? Infinity) + by));
  }
}
