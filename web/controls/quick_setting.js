// A setting that may change many times a second: shown at once, written into the address a few times a second.

import { batch, computed, signal } from "@preact/signals-core";
import { set, setting } from "../data/view.js";

/** Browsers allow an address 200 changes in half a minute. */
const INTERVAL = 200;

export class QuickSetting {
  /** @type {import("@preact/signals-core").Signal<string | null>} */
  #moving = signal(null);
  #timer = 0;
  #writtenAt = -Infinity;

  /** @param {string} name with a dot in it, as in the address */
  constructor(name) {
    this.name = name;
    const resting = setting(name, "");
    /** "" is as usual. */
    this.text = computed(() => this.#moving.value ?? resting.value);
  }

  /** @param {string} text */
  set(text) {
    clearTimeout(this.#timer);
    const wait = this.#writtenAt + INTERVAL - performance.now();
    if (wait <= 0) return this.setNow(text);
    this.#moving.value = text;
    this.#timer = window.setTimeout(() => this.setNow(text), wait);
  }

  /** However soon after the last change: for what is done once.
   * @param {string} text */
  setNow(text) {
    clearTimeout(this.#timer);
    this.#writtenAt = performance.now();
    batch(() => {
      set({ [this.name]: text });
      this.#moving.value = null;
    });
  }
}

/** The step that a setting holds; null without one.
 * @param {string} text */
export const stepIn = (text) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : null);
