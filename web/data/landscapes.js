// Loss landscapes as the server has them, and where one can be downloaded.

import { ask, RefusedRequest } from "./client.js";

/** @typedef {Array<number | string>} Column */

/** @typedef {{x: Column, y: Column, z: Column[], known: boolean[][], standard_error: Column[], levels: number}} MeasuredReply */

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
 * @property {{real: Column, plane: Column, residual: Column, standard_error: Column} | null} truth
 * @property {DiagnosticsReply | Record<string, never>} diagnostics
 */

/** @typedef {{run: string, hyper_parameters: Record<string, unknown>, metrics: Record<string, unknown>, model: Record<string, unknown>}} LineageRow */

/** Losses that a reply may hold: more of them would hold up the page while they are parsed, and come as bytes. */
const MOST = 40_000;
/** Digits of losses: single precision has no more, and all would be twice the bytes. Files have them all. */
const DIGITS = 9;

/** A landscape, and the losses of a large one apart.
 * @param {string} run @param {string} tag @param {number | null} publication null = the newest @param {AbortSignal} signal
 * @returns {Promise<{reply: LandscapeReply, losses: Float64Array | null} | null>} null: it has gone */
export async function readLandscape(run, tag, publication, signal) {
  const query = new URLSearchParams({ run, tag, most: String(MOST), digits: String(DIGITS) });
  if (publication !== null) query.set("publication", String(publication));
  const { landscapes } = await ask(`landscapes?${query}`, { signal });
  /** @type {LandscapeReply | undefined} */
  const reply = landscapes[0];
  if (!reply) return null;
  if (reply.error !== null || reply.z.length) return { reply, losses: null };
  const response = await fetch(
    `./api/landscapes/losses?${new URLSearchParams({ run, tag, publication: String(reply.publication) })}`,
    { signal },
  );
  if (!response.ok) throw new RefusedRequest(response.status, response.statusText);
  const losses = new Float64Array(await response.arrayBuffer());
  if (losses.length !== reply.x.length * reply.y.length) throw new Error("the losses are of another publication");
  return { reply, losses };
}

/** @param {string} run @param {AbortSignal} signal @returns {Promise<LineageRow | null>} null: it has none */
export const readLineageOf = async (run, signal) =>
  (await ask(`lineage?${new URLSearchParams({ run })}`, { signal })).runs[0] ?? null;

/** A document with the surface to turn, lines, arrays of NumPy's, VTK's image data, the path as VTK's poly data.
 * @typedef {"html" | "csv" | "npz" | "vti" | "vtp"} FileFormat */

/** Where a landscape is had as a file.
 * @param {FileFormat} format @param {Array<[name: string, value: string]>} wanted run, tag, publication; of a document how it looks */
export const fileAddress = (format, wanted) => `./api/landscapes.${format}?${new URLSearchParams(wanted)}`;
