// A setting that may change many times per second: applied immediately, written to the URL a few times per second.

import { batch, computed, signal } from "@preact/signals-core";
import { set, setting } from "../data/view/view.js";

/** Browsers limit changes of the URL to 200 in 30 seconds. */
const INTERVAL = 200;

export class ThrottledSetting {
  /** @type {import("@preact/signals-core").Signal<string | null>} */
  #unwritten = signal(null);
  #timer = 0;
  #writtenAt = -Infinity;

  /** @param {string} name of the setting in the URL */
  constructor(name) {
    this.name = name;
    const written = setting(name, "");
    /** "" = the default. */
    this.text = computed(() => this.#unwritten.value ?? written.value);
  }

  /** @param {string} text */
  set(text) {
    clearTimeout(this.#timer);
    const wait = this.#writtenAt + INTERVAL - performance.now();
    if (wait <= 0) return this.setNow(text);
    this.#unwritten.value = text;
    this.#timer = window.setTimeout(() => this.setNow(text), wait);
  }

  /** Writes to the URL immediately: for single changes.
   * @param {string} text */
  setNow(text) {
    clearTimeout(this.#timer);
    this.#writtenAt = performance.now();
    batch(() => {
      set({ [this.name]: text });
      this.#unwritten.value = null;
    });
  }
}

/** Parses the step in a setting; null without one.
 * @param {string} text */
export const parseStep = (text) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : null);
