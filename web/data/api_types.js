// Types of the server's requests and replies.

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
 * @property {number} pending_records too large to be verified while loading, and not verified yet
 * @property {string | null} parent
 * @property {Record<string, number>} plugins series by plugin
 * @property {Record<string, number[]>} plugin_ranks ranks with such series, of runs of several ranks, by plugin
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

/** A fault of the server's installation.
 * @typedef {{kind: "uncompiled_scan" | "shadowed_package", message: string}} HealthWarning */

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
 * @property {number | null} min of all points in the window
 * @property {number | null} min_step
 * @property {number | null} max
 * @property {number | null} max_step
 */

/** @typedef {{revision: number, tag: string | null, series: SeriesReply[], missing: string[]}} ScalarsReply */

/** @typedef {object} GroupReply
 * @property {string} tag
 * @property {string} group
 * @property {string[]} runs
 * @property {number[]} x
 * @property {Array<number | string>} centre
 * @property {Array<number | string>} low
 * @property {Array<number | string>} high
 * @property {number[]} count
 * @property {number[]} non_finite
 * @property {number} total
 * @property {number} aligned
 */

/** @typedef {{revision: number, tag: string | null, groups: GroupReply[], ungrouped: string[], missing: string[]}}
 * GroupsReply */

/** @typedef {object} ScalarsRequest
 * @property {string[]} tag
 * @property {string[]} [run] absent = all
 * @property {number} [lo] in the axis's unit
 * @property {number} [hi]
 * @property {import("./address.js").Axis} [axis]
 * @property {number} [points] 0 = every point
 * @property {"linear" | "log"} [scale] of the axis along which points are selected
 * @property {string} [smooth]
 * @property {number | "all"} [rank] absent = the lowest
 * @property {number} [attempt] absent = stitched
 */

/** How runs are grouped.
 * @typedef {{by: string, centre: "mean" | "median", band: "minmax" | "std" | "quartiles" | "none"}} Grouping */

/** @typedef {{revision: number, added: string[], changed: string[], removed: string[]}} UpdateEvent */

export {};
