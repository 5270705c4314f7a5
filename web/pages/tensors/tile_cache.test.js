import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { layoutOf } from "./model/layout.js";
import { countOf, parseSlice, printSlice } from "./model/slice.js";
import { TileCache } from "./tile_cache.js";

/** A source of zeros, and the slices that were requested. @param {number[]} dims */
function zeros(dims) {
  const { parts } = parseSlice("[:,:]", dims);
  /** @type {string[]} */
  const requested = [];
  const state = { fails: false, aborted: 0 };
  return {
    requested,
    state,
    key: "zeros",
    layout: layoutOf(parts),
    /** @param {import("./model/slice.js").Part[]} tile @param {AbortSignal} signal */
    async read(tile, signal) {
      requested.push(printSlice(tile));
      signal.addEventListener("abort", () => state.aborted++);
      await nextTurn();
      if (state.fails) throw new Error("gone");
      const count = countOf(tile);
      return {
        dims: [count],
        kind: /** @type {const} */ ("float"),
        isSingle: true,
        count,
        values: new Float32Array(count),
      };
    },
  };
}

const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
};

test("visible tiles are loaded first, and then those one screen around", async () => {
  const source = zeros([2560, 1280]);
  const cache = new TileCache(source, () => {});
  const cells = { top: 512, bottom: 768, left: 0, right: 128 };
  assert.deepEqual(cache.tilesFor(cells), { tiles: [], isComplete: false });
  await settled();
  const { tiles, isComplete } = cache.tilesFor(cells);
  assert.deepEqual([tiles.length, isComplete], [1, true]);
  assert.deepEqual(source.requested, ["[512:768,0:128]", "[256:512,0:128]", "[768:1024,0:128]"]);
});

test("requests for tiles that are no longer needed are aborted", async () => {
  const source = zeros([2560, 1280]);
  const cache = new TileCache(source, () => {});
  cache.tilesFor({ top: 0, bottom: 100, left: 0, right: 100 });
  cache.tilesFor({ top: 2400, bottom: 2500, left: 1200, right: 1280 });
  assert.equal(source.state.aborted, 1);
  await settled();
  assert.equal(cache.tilesFor({ top: 0, bottom: 100, left: 0, right: 100 }).isComplete, false);
});

test("a failure is reported and not repeated until a retry", async () => {
  const source = zeros([100, 100]);
  let changes = 0;
  const cache = new TileCache(source, () => changes++);
  const cells = { top: 0, bottom: 50, left: 0, right: 50 };
  source.state.fails = true;
  cache.tilesFor(cells);
  await settled();
  assert.deepEqual([cache.error?.message, changes], ["gone", 1]);
  cache.tilesFor(cells);
  assert.equal(source.requested.length, 1);
  source.state.fails = false;
  cache.retry();
  cache.tilesFor(cells);
  await settled();
  assert.equal(cache.tilesFor(cells).isComplete, true);
});

test("the least recently used tiles are evicted when memory is full", async () => {
  const source = zeros([256 * 300, 128]);
  const cache = new TileCache(source, () => {});
  const screen = (/** @type {number} */ i) => ({ top: 256 * i, bottom: 256 * (i + 1), left: 0, right: 128 });
  for (let i = 0; i < 290; i += 1) {
    cache.tilesFor(screen(i));
    await settled();
  }
  assert.equal(cache.tilesFor(screen(289)).isComplete, true);
  assert.equal(cache.tilesFor(screen(0)).isComplete, false);
});
