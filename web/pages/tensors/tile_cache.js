// The loaded tiles of a table of elements: visible ones are requested, and requests that are no longer needed are
// aborted.

import { tilesOf } from "./model/layout.js";
import { numbersOf } from "./model/npy.js";

/** @typedef {import("./model/layout.js").Cells} Cells */
/** @typedef {import("./model/layout.js").Tile} TilePlace */
/** @typedef {import("./displayed_slice.js").Source} Source */

/**
 * A loaded tile.
 * @typedef {TilePlace & {elements: import("./model/npy.js").Elements, numbers: ArrayLike<number>}} Tile
 */

const MAX_REQUESTS = 4;
/** The largest number of elements kept in memory. */
const MAX_ELEMENTS = 6_000_000;

/** Caches the tiles of one source. Call `stop` when the source is no longer shown. */
export class TileCache {
  /** By key, least recently used first. @type {Map<string, Tile>} */
  #loaded = new Map();
  /** @type {Map<string, AbortController>} */
  #requests = new Map();
  /** Needed tiles that are not loaded, visible ones first. @type {TilePlace[]} */
  #missing = [];
  #elementCount = 0;
  /** @type {Error | null} */
  error = null;

  /** @param {Source} source @param {() => void} changed called when a tile has been loaded or has failed */
  constructor(source, changed) {
    this.source = source;
    this.changed = changed;
  }

  /** Returns the loaded tiles of some cells; requests the others, and then those around them.
   * @param {Cells} cells @returns {{tiles: Tile[], isComplete: boolean}} */
  tilesFor(cells) {
    const places = tilesOf(this.source.layout, cells);
    const tiles = places.flatMap(({ key }) => this.#use(key));
    const surroundings = tilesOf(this.source.layout, this.#surroundings(cells));
    const needed = new Set([...places, ...surroundings].map(({ key }) => key));
    for (const [key, request] of this.#requests) if (!needed.has(key)) request.abort();
    const seen = new Set();
    this.#missing = [...places, ...surroundings].filter(
      ({ key }) => !this.#loaded.has(key) && !seen.has(key) && seen.add(key),
    );
    this.#requestMissing();
    return { tiles, isComplete: tiles.length === places.length };
  }

  /** The cells extended by one screen above and below.
   * @param {Cells} cells @returns {Cells} */
  #surroundings({ top, bottom, left, right }) {
    const screen = bottom - top;
    return { top: Math.max(0, top - screen), bottom: Math.min(this.source.layout.rows, bottom + screen), left, right };
  }

  /** @param {string} key @returns {Tile[]} */
  #use(key) {
    const tile = this.#loaded.get(key);
    if (!tile) return [];
    this.#loaded.delete(key);
    this.#loaded.set(key, tile);
    return [tile];
  }

  #requestMissing() {
    if (this.error) return;
    for (const place of this.#missing) {
      if (this.#requests.size >= MAX_REQUESTS) return;
      if (!this.#requests.has(place.key)) this.#read(place);
    }
  }

  /** @param {TilePlace} place */
  async #read(place) {
    const request = new AbortController();
    this.#requests.set(place.key, request);
    try {
      const elements = await this.source.read(place.parts, request.signal);
      if (request.signal.aborted) return;
      this.#loaded.set(place.key, { ...place, elements, numbers: numbersOf(elements) });
      this.#missing = this.#missing.filter(({ key }) => key !== place.key);
      this.#elementCount += elements.count;
      this.#evict();
      this.changed();
    } catch (error) {
      if (request.signal.aborted) return;
      this.error = /** @type {Error} */ (error);
      this.changed();
    } finally {
      this.#requests.delete(place.key);
      this.#requestMissing();
    }
  }

  #evict() {
    for (const [key, { elements }] of this.#loaded) {
      if (this.#elementCount <= MAX_ELEMENTS || this.#loaded.size === 1) return;
      this.#loaded.delete(key);
      this.#elementCount -= elements.count;
    }
  }

  retry() {
    this.error = null;
    this.changed();
  }

  stop() {
    this.#missing = [];
    for (const request of this.#requests.values()) request.abort();
  }
}
