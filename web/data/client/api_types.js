// Types of the server's requests and replies.

/** The state of a run or of one of its recordings, gravest first.
 * @typedef {"failed" | "lost" | "interrupted" | "stalled" | "running" | "finished" | "unknown"} RunState */

/** What a training does. @typedef {"training" | "evaluating" | "saving"} Phase */

/** What ended a recording; without a type if it is no exception. The middle of a long traceback is cut.
 * @typedef {{type: string, text: string, traceback?: string}} RunError */

/** What one process recorded from its start to its end.
 * @typedef {object} Recording
 * @property {number} rank
 * @property {number} attempt from 1
 * @property {string | null} session
 * @property {RunState} state
 * @property {Phase | null} phase
 * @property {number | null} started seconds since 1970
 * @property {number | null} ended
 * @property {RunError | null} error
 * @property {string | null} host
 * @property {number | null} process_id
 * @property {string | null} command_line
 */

/** What is known of every run.
 * @typedef {object} RunRow
 * @property {string} run
 * @property {number | null} started seconds since 1970
 * @property {number | null} updated
 * @property {number | null} first_step
 * @property {number | null} last_step
 * @property {number} colour of the palette, plus its size times the dash pattern
 * @property {number[]} ranks
 * @property {number} writers programs without ranks that wrote at the same time, 0 if there are no several: rank 0 is all of them
 * @property {number} attempts
 * @property {string} dialect Of event files "mindspore" or "tensorboard", or the name of another format
 * @property {RunState} state of the newest attempt; the gravest of several recordings
 * @property {Phase | null} phase
 * @property {number | null} ended seconds since 1970; of a lost or unknown run, when it was last written
 * @property {RunError | null} error without the traceback, and with one line of the text
 * @property {number} damaged_records
 * @property {string | null} stale why its files cannot be read at present; null: they can
 * @property {string | null} parent
 * @property {string | null} session_name in place of the last part of its name
 * @property {Record<string, number>} plugins series by plugin
 * @property {Record<string, number[]>} plugin_ranks ranks with such series, of runs of several ranks, by plugin
 */

/** @typedef {{files: number, waiting_files: number, bytes: number, read_bytes: number}} LoadProgress */

/** A location in a file that no record could be read from.
 * @typedef {{file: string, offset: number, reason: "payload" | "length"}} DamagedPlace */

/** What is fetched of single runs.
 * @typedef {RunRow & {recordings: Recording[], damage: DamagedPlace[], pending_records: number}} RunDetails
 * pending_records: too large to be verified while loading, and not verified yet */

/** Numbers of runs. `row`: their places; null = every run has one.
 * @typedef {{row: Column | null, number: Column}} NumberColumn */
/** Values of runs as places in `value`; -1 = none. @typedef {{code: Column, value: any[]}} CodedColumn */
/** A hyperparameter of any run. `values`: how many differ, counted up to 1000.
 * @typedef {{name: string, runs: number, is_number: boolean, values: number}} ParameterSummary */

/** `since`: null = all runs.
 * @typedef {{fact?: string[], last?: string[], min?: string[], max?: string[], param?: string[], parameters?: boolean,
 * since: number | null}} RunColumnsRequest */

/** @typedef {object} RunColumnsReply
 * @property {number} revision
 * @property {number | null} since null = the columns contain all runs
 * @property {string} logdir
 * @property {boolean} logdir_exists
 * @property {boolean} loading
 * @property {LoadProgress} progress
 * @property {string} runs names separated by null characters, oldest first
 * @property {number} total
 * @property {Record<string, NumberColumn | CodedColumn>} fact
 * @property {Record<string, NumberColumn>} last
 * @property {Record<string, NumberColumn>} min
 * @property {Record<string, NumberColumn>} max
 * @property {Record<string, CodedColumn>} param
 * @property {ParameterSummary[]} parameters
 */

/** A fault that does not stop the server.
 * @typedef {{kind: "uncompiled_scan" | "shadowed_package" | "unwritable_index" | "unwritable_data", message: string}}
 * HealthWarning */

/** `direction`: which value of a scalar is its best; absent if its name does not say.
 * @typedef {{plugin: string, tag: string, runs: number, direction?: "min" | "max"}} TagRow */

/** Numbers of a reply. A typed array, integers at regular distances, or none.
 * @typedef {Int32Array | BigInt64Array | Float32Array | Float64Array | {start: number, stride: number, count: number} | number[]}
 * Column */

/** @typedef {object} SeriesReply
 * @property {string} tag or the expression
 * @property {boolean} expr whether it is an expression
 * @property {string} run
 * @property {number} rank
 * @property {number | null} attempt
 * @property {Column} [x] the values of the requested x
 * @property {number} kept how many of its first points the page has, as it sent their cursor: the columns contain the rest
 * @property {string} cursor refers to the points that need not be sent again
 * @property {Column} step empty if it was not requested, as are the next three
 * @property {Column} wall_time
 * @property {Column} value
 * @property {Column} smoothed
 * @property {string | null} [smooth] how it was smoothed: as requested, or what "auto" chose; null = it was not
 * @property {number} total
 * @property {number} duplicates
 * @property {number} [set_back] points that stand before those of earlier steps over time
 * @property {number} [unplaced] points whose wall time is impossible
 * @property {number} hidden points of earlier attempts that the stitched view hides
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
 * @property {Column} x
 * @property {Column} centre
 * @property {Column} low
 * @property {Column} high
 * @property {Column} count
 * @property {Column} non_finite
 * @property {number} total
 * @property {number} aligned
 */

/** @typedef {{revision: number, tag: string | null, groups: GroupReply[], ungrouped: string[], missing: string[]}}
 * GroupsReply */

/** @typedef {object} ScalarsRequest
 * @property {string[]} tag
 * @property {string[]} [expr] expressions of tags
 * @property {"equal" | "last"} [join] how their operands are joined
 * @property {"step" | "second"} [rate] the unit of rate()
 * @property {string} [x] a tag whose values are x
 * @property {string[]} [run] absent = all
 * @property {number} [lo] in the axis's unit
 * @property {number} [hi]
 * @property {import("../view/address.js").Axis} [axis]
 * @property {number} [points] 0 = every point
 * @property {Array<"step" | "wall_time" | "value" | "smoothed">} [column] absent = all
 * @property {string[]} [cursor] of the series that the page has under the same query
 * @property {"linear" | "log"} [scale] of the axis along which points are selected
 * @property {string} [smooth]
 * @property {number | "all"} [rank] absent = the lowest
 * @property {number} [attempt] absent = stitched
 */

/** How runs are grouped.
 * @typedef {{by?: string, groups?: Record<string, string[]>, centre: "mean" | "median" | "sum", band: "minmax" | "std" | "quartiles" | "none"}} Grouping */

/** A change of runs; none of those in `states` has new data.
 * @typedef {{revision: number, added: string[], changed: string[], removed: string[], states: string[], views?: boolean,
 * alerts?: boolean}} UpdateEvent `views`, `alerts`: saved views, alerts have changed
 */

export {};

/** Layouts of TensorBoard's custom scalars as workspaces.
 * @typedef {object} LayoutList
 * @property {number} revision
 * @property {CustomLayout[]} layouts each different one once
 * @property {string[]} problems why others are missing
 */

/** @typedef {object} CustomLayout
 * @property {string} run the first run that has it
 * @property {number} runs how many runs have it
 * @property {string} name the titles of its categories
 * @property {unknown} workspace a workspace document
 */
