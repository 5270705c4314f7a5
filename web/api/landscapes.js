// Loss landscapes as the server has them, and where one can be downloaded.

import { ask } from "./client.js";

/** @typedef {Array<number | string>} Column */

/** @typedef {object} LandscapeReply
 * @property {string} run
 * @property {string} tag
 * @property {number} step
 * @property {number | string} wall_time
 * @property {number[]} steps
 * @property {string | null} error
 * @property {"interval" | "final" | null} kind
 * @property {Column} x
 * @property {Column} y
 * @property {Column[]} z
 * @property {{x: Column, y: Column, z: Column, intervals: number[]} | null} path
 * @property {Column | null} convergence_point
 * @property {{decomposition: string | null, unit: string | null, step_per_epoch: number | null}} metadata
 */

/** @typedef {{run: string, hyper_parameters: Record<string, unknown>, metrics: Record<string, unknown>, model: Record<string, unknown>}} LineageRow */

/** @param {string} run @param {string} tag @param {AbortSignal} signal @returns {Promise<LandscapeReply | null>} null: it has gone */
export const readLandscape = async (run, tag, signal) => (await ask(`landscapes?${new URLSearchParams({ run, tag })}`, { signal })).landscapes[0] ?? null;

/** @param {string} run @param {AbortSignal} signal @returns {Promise<LineageRow | null>} null: it has none */
export const readLineageOf = async (run, signal) => (await ask(`lineage?${new URLSearchParams({ run })}`, { signal })).runs[0] ?? null;

/** A document of its own with the surface to turn.
 * @param {{run: string, tag: string, scale: string, colours: string, theme: string, lang: string}} wanted */
export const documentAddress = (wanted) => `./api/landscapes.html?${new URLSearchParams(wanted)}`;
