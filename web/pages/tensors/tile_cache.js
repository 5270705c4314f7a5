// The elements of a table that are here, by tile; tiles in sight are asked for, those that left sight before they came are not.

import { tilesOf } from "./model/layout.js";
import { numbersOf } from "./model/npy.js";

/** @typedef {import("./model/layout.js").Cells} Cells */
/** @typedef {import("./model/layout.js").Tile} Place */
/** @typedef {import("./displayed_slice.js").Source} Source */

/** A tile that is here. @typedef {Place & {elements: import("./model/npy.js").Elements, numbers: ArrayLike<number>}} Tile */

const REQUESTS_AT_ONCE = 4;
/** Elements that are kept. */
const KEPT = 6_000_000;

/** Remembers the tiles of one source. Call `stop` when it is shown no longer. */
export class Tiles {
  /** By key, in the order they were last in sight. @type {Map<string, Tile>} */
  #here = new Map();
  /** @type {Map<string, AbortController>} */
  #asked = new Map();
  /** In sight and not here, the nearest first. @type {Place[]} */
  #wanted = [];
  #kept = 0;
  /** @type {Error | null} */
  error = null;

  /** @param {Source} source @param {() => void} changed a tile came, or could not be had */
  constructor(source, changed) {
    this.source = source;
    this.changed = changed;
  }

  /** The tiles of these cells that are here; the others are asked for, and then those around them.
   * @param {Cells} cells @returns {{tiles: Tile[], isComplete: boolean}} */
  look(cells) {
    const places = tilesOf(this.source.layout, cells);
    const tiles = places.flatMap(({ key }) => this.#touched(key));
    const around = tilesOf(this.source.layout, this.#around(cells));
    const wanted = new Set([...places, ...around].map(({ key }) => key));
    for (const [key, request] of this.#asked) if (!wanted.has(key)) request.abort();
    const seen = new Set();
    this.#wanted = [...places, ...around].filter(({ key }) => !this.#here.has(key) && !seen.has(key) && seen.add(key));
    this.#ask();
    return { tiles, isComplete: tiles.length === places.length };
  }

  /** One screen more below and above.
   * @param {Cells} cells @returns {Cells} */
  #around({ top, bottom, left, right }) {
    const more = bottom - top;
    return { top: Math.max(0, top - more), bottom: Math.min(this.source.layout.rows, bottom + more), left, right };
  }

  /** @param {string} key @returns {Tile[]} */
  #touched(key) {
    const tile = this.#here.get(key);
    if (!tile) return [];
    this.#here.delete(key);
    this.#here.set(key, tile);
    return [tile];
  }

  #ask() {
    if (this.error) return;
    for (const place of this.#wanted) {
      if (this.#asked.size >= REQUESTS_AT_ONCE) return;
      if (!this.#asked.has(place.key)) this.#read(place);
    }
  }

  /** @param {Place} place */
  async #read(place) {
    const request = new AbortController();
    this.#asked.set(place.key, request);
    try {
      const elements = await this.source.read(place.parts, request.signal);
      if (request.signal.aborted) return;
      this.#here.set(place.key, { ...place, elements, numbers: numbersOf(elements) });
      this.#wanted = this.#wanted.filter(({ key }) => key !== place.key);
      this.#kept += elements.count;
      this.#forget();
      this.changed();
    } catch (error) {
      if (request.signal.aborted) return;
      this.error = /** @type {Error} */ (error);
      this.changed();
    } finally {
      this.#asked.delete(place.key);
      this.#ask();
    }
  }

  #forget() {
    for (const [key, { elements }] of this.#here) {
      if (this.#kept <= KEPT || this.#here.size === 1) return;
      this.#here.delete(key);
      this.#kept -= elements.count;
    }
  }

  retry() {
    this.error = null;
    this.changed();
  }

  stop() {
    this.#wanted = [];
    for (const request of this.#asked.values()) request.abort();
  }
}
