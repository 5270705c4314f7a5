// Requests for loss landscapes, and their download URLs.

import { fetchBytes, fetchJson } from "../client/client.js";

/** @typedef {Array<number | string>} Column */

/** @typedef {{x: Column, y: Column, z: Column[], known: boolean[][], standard_error: Column[], levels: number,
 * difference_error: Column[] | null}} MeasuredReply */

/** @typedef {{real: Column, plane: Column, residual: Column, standard_error: Column, gap_error: Column | null}}
 * TruthReply */

/** @typedef {object} DiagnosticsReply
 * @property {string} axes
 * @property {Column} energy
 * @property {Column} random_walk_energy
 * @property {boolean} is_random_walk
 * @property {Column} axis_lengths
 * @property {number | string} axis_cosine
 * @property {number} samples
 * @property {number | null} seed
 * @property {string} buffers
 * @property {boolean} is_flat
 * @property {number | null} units
 * @property {number | null} differing_nodes
 * @property {number | string | null} random_walk_residual
 * @property {number | string | null} interpolation_error
 * @property {Column} eigenvalues
 * @property {Column} ritz_residuals
 * @property {Column} curvature
 * @property {Record<string, string>} provenance
 */

/** @typedef {object} LandscapeReply
 * @property {string} run
 * @property {string} tag
 * @property {number} step
 * @property {number | string} wall_time
 * @property {number[]} steps
 * @property {number} publication
 * @property {{step: number[], wall_time: Column}} publications
 * @property {string | null} error
 * @property {"interval" | "final" | null} kind
 * @property {Column} x
 * @property {Column} y
 * @property {Column[]} z
 * @property {{x: Column, y: Column, z: Column, intervals: number[]} | null} path
 * @property {Column | null} convergence_point
 * @property {{decomposition: string | null, unit: string | null, step_per_epoch: number | null}} metadata
 * @property {number | null} level
 * @property {MeasuredReply | null} measured
 * @property {TruthReply | null} truth
 * @property {DiagnosticsReply | Record<string, never>} diagnostics
 */

/** @typedef {Record<string, unknown>} Values */
/** @typedef {{run: string, hyper_parameters: Values, metrics: Values, model: Values}} LineageRow */

/** More losses are fetched as binary data: parsing them as JSON would block the page. */
const MOST = 40_000;
/** Significant digits of losses: single precision has no more, and doubles would need twice the bytes. Downloads are
 * exact. */
const DIGITS = 9;

/** Reads a landscape, and the losses of a large one separately.
 * @param {string} run @param {string} tag @param {number | null} publication null = the newest
 * @param {AbortSignal} signal
 * @returns {Promise<{reply: LandscapeReply, losses: Float64Array | null} | null>} null if it no longer exists */
export async function readLandscape(run, tag, publication, signal) {
  const query = new URLSearchParams({ run, tag, most: String(MOST), digits: String(DIGITS) });
  if (publication !== null) query.set("publication", String(publication));
  const { landscapes } = await fetchJson(`landscapes?${query}`, { signal });
  /** @type {LandscapeReply | undefined} */
  const reply = landscapes[0];
  if (!reply) return null;
  if (reply.error !== null || reply.z.length) return { reply, losses: null };
  const place = new URLSearchParams({ run, tag, publication: String(reply.publication) });
  const losses = new Float64Array(await fetchBytes(`landscapes/losses?${place}`, signal));
  if (losses.length !== reply.x.length * reply.y.length) throw new Error("the losses belong to another publication");
  return { reply, losses };
}

/** @param {string} run @param {AbortSignal} signal @returns {Promise<LineageRow | null>} null if it has none */
export const readLineageOf = async (run, signal) =>
  (await fetchJson(`lineage?${new URLSearchParams({ run })}`, { signal })).runs[0] ?? null;

/** An interactive document, rows, NumPy arrays, VTK image data, the path as VTK poly data.
 * @typedef {"html" | "csv" | "npz" | "vti" | "vtp"} FileFormat */

/** Returns the URL of a landscape as a file.
 * @param {FileFormat} format
 * @param {Array<[name: string, value: string]>} parameters run, tag, publication; for HTML also its appearance */
export const landscapeFileUrl = (format, parameters) => `./api/landscapes.${format}?${new URLSearchParams(parameters)}`;
