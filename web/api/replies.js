// What the server's replies look like. Types only; the rest of the page imports them from here.

/** @typedef {object} RunRow
 * @property {string} run
 * @property {number | null} started seconds since 1970
 * @property {number | null} updated
 * @property {number | null} first_step
 * @property {number | null} last_step
 * @property {number[]} ranks
 * @property {number} attempts
 * @property {"mindspore" | "tensorboard"} dialect
 * @property {boolean} live
 * @property {number} damaged_records
 * @property {number} pending_records too large to be verified while they are loaded, and not verified yet
 * @property {string | null} parent
 * @property {Record<string, number>} plugins series by plugin
 */

/** @typedef {{files: number, waiting_files: number, bytes: number, read_bytes: number}} LoadProgress */

/** @typedef {object} RunsReply
 * @property {number} revision
 * @property {string} logdir
 * @property {boolean} logdir_exists
 * @property {boolean} loading
 * @property {LoadProgress} progress
 * @property {RunRow[]} runs
 */

/** @typedef {{plugin: string, tag: string, runs: number}} TagRow */

/** @typedef {object} SeriesReply
 * @property {string} tag
 * @property {string} run
 * @property {number} rank
 * @property {number | null} attempt
 * @property {number[]} step
 * @property {number[]} wall_time
 * @property {Array<number | string>} value
 * @property {Array<number | string>} smoothed
 * @property {number} total
 * @property {number} duplicates
 */

/** @typedef {{revision: number, tag: string | null, series: SeriesReply[], missing: string[]}} ScalarsReply */

/** @typedef {object} ScalarsRequest
 * @property {string[]} tag
 * @property {string[]} [run] absent = all
 * @property {number} [lo] in the axis's unit
 * @property {number} [hi]
 * @property {import("../lib/ticks.js").Axis} [axis]
 * @property {number} [points] 0 = every point
 * @property {string} [smooth]
 */

/** @typedef {{revision: number, added: string[], changed: string[], removed: string[]}} UpdateEvent */

export {};
