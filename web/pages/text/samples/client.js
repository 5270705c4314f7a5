// Requests for samples: the rows of a text of JSON objects.

import { fetchJson } from "../../../data/client/client.js";

/** @typedef {{role: string, text: string}} Turn */
/** @typedef {null | boolean | number | string | Turn[]} Cell */
/** @typedef {{row: number, key: string, cells: Cell[], is_cut: boolean}} Row */
/** A text at a step. @typedef {{run: string, tag: string, step: number, rank?: number, attempt?: number}} Place */

/** @typedef {object} Samples
 * @property {number} step
 * @property {boolean} is_samples
 * @property {string[]} columns @property {number} left_out_columns
 * @property {number} total @property {number} left_out_rows
 * @property {number} damaged @property {number[]} damaged_lines
 * @property {number} found @property {Row[]} rows */

/** @param {string} part @param {Record<string, string | number | boolean | undefined>} query */
const pathOf = (part, query) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return `${part}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
};

/** @param {Place} place @param {{search: string, sort: string, descending: boolean}} order @param {number} limit */
export const rowsPath = (place, { search, sort, descending }, limit) =>
  pathOf("samples", { ...place, search, sort, descending: descending || undefined, limit });

/** @param {Place} place @param {string} key */
export const samplePath = (place, key) => pathOf("samples/sample", { ...place, key });

/** @param {Place} place */
export const textPath = ({ step, ...place }) => pathOf("text", { ...place, lo: step, hi: step, limit: 1 });

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Samples>} */
export const readSamples = (path, signal) => fetchJson(path, { signal });

/** @param {string} path @param {AbortSignal} signal
 * @returns {Promise<{texts: Array<{text: string, dims: number[], texts: string[]}>}>} */
export const readTexts = (path, signal) => fetchJson(path, { signal });
