// Requests about embeddings.

import { fetchJson, postForLines, postJson, readColumns } from "../../data/client/client.js";
import { followsServer } from "../../data/snapshot/state.js";

/** An embedding at a step. @typedef {{run: string, name: string, step: number}} Place */
/** @typedef {import("./model/colouring.js").Column} Column */

/** @typedef {object} Sprite
 * @property {string} url
 * @property {number} image_width @property {number} image_height of a small image
 * @property {number} width @property {number} height */

/** @typedef {object} Projection
 * @property {number} step
 * @property {number} total @property {number} dimensions
 * @property {number} stride the n-th point is row n * stride
 * @property {number} left_out @property {number} placed
 * @property {number[]} explained
 * @property {Float32Array[]} axes
 * @property {string[]} columns
 * @property {Sprite | null} sprite
 * @property {string[]} problems */

/** @typedef {{row: number, values: string[]}} Point */
/** @typedef {Point & {distance: number}} Neighbour */
/** @typedef {{row: number, values: string[], neighbours: Neighbour[]}} Neighbours */

/** @param {string} part @param {Place} place @param {Record<string, string | number>} [more] */
export const pathOf = (part, { run, name, step }, more = {}) =>
  `embeddings/${part}?${new URLSearchParams(
    Object.entries({ run, name, step, ...more }).map(([key, value]) => [key, String(value)]),
  )}`;

/** @param {string} run @param {AbortSignal} signal
 * @returns {Promise<{run: string, embeddings: Array<{name: string, steps: number[]}>}>} */
export const listEmbeddings = (run, signal) => fetchJson(`embeddings?${new URLSearchParams({ run })}`, { signal });

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Projection>} */
export const readProjection = (path, signal) => readColumns(path, signal);

/** Reads a reduction, which is computed if it was not before.
 * @param {Place & {components: number, method: string, seed: number}} query @param {AbortSignal} signal ends the computation
 * @param {(share: number) => void} progress 0 to 1 @returns {Promise<Projection>} */
export async function readReduction(query, signal, progress) {
  const { components, method, seed } = query;
  if (followsServer())
    await postForLines("embeddings/reduction", query, signal, ({ progress: share, problem }) => {
      if (problem) throw new Error(problem);
      progress(share);
    });
  return readProjection(pathOf("reduction", query, { components, method, seed }), signal);
}

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Column>} */
export const readColumn = (path, signal) => readColumns(path, signal);

/** @param {string} path @param {AbortSignal} signal @returns {Promise<any>} */
export const readJson = (path, signal) => fetchJson(path, { signal });

/** @param {Place} place @param {number[]} rows @returns {Promise<ArrayBuffer>} */
export const readCsv = (place, rows) => postJson("embeddings/rows.csv", { ...place, rows });
