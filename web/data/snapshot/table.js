// The replies of a snapshot. Rows of runs and series are kept one by one, so that any selection of them is answered.

import { namesOf } from "../runs/run_facts.js";
import { numbersOf } from "../series/series.js";
import { KINDS } from "./columns.js";
import { cut, partFor, withPart } from "./windows.js";

/** @typedef {import("../client/api_types.js").SeriesReply} SeriesReply */

/** A request: its path, and the values of its query and body by name.
 * @typedef {{path: string, fields: Record<string, any[]>}} Request */

/** Replies that are lists of rows of runs: the field with the rows. @type {Record<string, string>} */
const ROWS = { runs: "runs", overview: "runs", lineage: "runs", "lineage/datasets": "runs", tags: "tags" };
/** What a request for series may state otherwise than when it was recorded. */
const RESOLUTION = ["points", "column", "cursor", "axis", "scale", "lo", "hi"];

/** @typedef {import("./windows.js").Part} Part */
/** A reply without its rows, and the rows of each run. @typedef {{reply: any, rows: Map<string, any[]>}} RowsByRun */
/** The parts of series by name, of the tags and runs that were asked.
 * @typedef {{reply: any, tags: string[], runs: string[], parts: Map<string, Part[]>}} SeriesByName */

/** @param {string} path with its query @param {unknown} [body] JSON @returns {Request} */
export function requestOf(path, body) {
  const [name, query = ""] = path.split("?");
  /** @type {Record<string, any[]>} */
  const fields = {};
  for (const [field, value] of new URLSearchParams(query)) fields[field] = [...(fields[field] ?? []), value];
  for (const [field, value] of Object.entries(typeof body === "string" ? JSON.parse(body) : {}))
    if (value !== null) fields[field] = Array.isArray(value) ? value : [value];
  return { path: name, fields };
}

/** @param {Request} request @param {readonly string[]} without names of fields */
function keyOf({ path, fields }, without = []) {
  const named = Object.entries(fields).filter(([name]) => !without.includes(name));
  return JSON.stringify([path, ...named.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** @param {Request} request of series: a tag or an expression */
const tagsOf = ({ fields: { tag = [], expr = [] } }) => /** @type {string[]} */ ([...tag, ...expr]);
/** @param {string} tag @param {string} run */
const nameOf = (tag, run) => JSON.stringify([tag, run]);

/** Returns the reply with a row for each tag, and its number of runs, in place of one for each run and tag.
 * @param {any} reply */
export function countedTags(reply) {
  const byTag = Map.groupBy(/** @type {any[]} */ (reply.tags), ({ plugin, tag }) => JSON.stringify([plugin, tag]));
  const counted = [...byTag].sort(([a], [b]) => (a < b ? -1 : 1));
  const tags = counted.map(([, [{ plugin, tag }, ...others]]) => ({ plugin, tag, runs: others.length + 1 }));
  return { ...reply, tags, total: tags.length };
}

/** Plain data, so that it can be packed.
 * @typedef {object} Content
 * @property {Map<string, any>} replies by request
 * @property {Map<string, RowsByRun>} rows
 * @property {Map<string, SeriesByName>} series
 * @property {any} runs the list of runs without its columns
 * @property {Map<string, any>} columns of the list, by kind and name
 */

/** What a snapshot contains; it can be made of the content of another table. */
export class ReplyTable {
  /** @param {Content} [content] */
  constructor(content = { replies: new Map(), rows: new Map(), series: new Map(), runs: null, columns: new Map() }) {
    this.content = content;
  }

  /** @param {Request} request @param {any} reply */
  add(request, reply) {
    if (request.path === "runs/columns") this.#addColumns(reply);
    else if (request.path === "scalars") this.#addSeries(request, reply);
    else if (this.#isByRun(request)) this.#addRows(request, reply);
    else this.content.replies.set(keyOf(request), reply);
  }

  /** Returns the reply; undefined if the snapshot does not contain it. @param {Request} request */
  answer(request) {
    if (request.path === "runs/columns") return this.#columns(request);
    if (request.path === "scalars") return this.#series(request);
    if (request.path === "tags" && request.fields.together) return this.#tagsTogether(request);
    if (this.#isByRun(request)) return this.#rows(request);
    return this.content.replies.get(keyOf(request));
  }

  /** @param {Request} request */
  #isByRun({ path, fields }) {
    return Object.hasOwn(ROWS, path) && fields.run !== undefined && !fields.together;
  }

  /** @param {Request} request */
  #tagsTogether({ path, fields: { together: _, ...fields } }) {
    const reply = this.#rows({ path, fields });
    return reply && countedTags(reply);
  }

  /** @param {any} reply */
  #addColumns(reply) {
    if (this.content.runs?.runs !== reply.runs) this.content.columns.clear(); // Their places have changed.
    const { parameters } = this.content.runs ?? {};
    this.content.runs = { ...reply, parameters: reply.parameters ?? parameters, since: null };
    for (const kind of KINDS) {
      for (const [name, column] of Object.entries(reply[kind] ?? {}))
        this.content.columns.set(nameOf(kind, name), column);
      delete this.content.runs[kind];
    }
  }

  /** @param {Request} request */
  #columns({ fields }) {
    if (!this.content.runs) return undefined;
    const reply = { ...this.content.runs };
    for (const kind of KINDS) {
      const names = fields[kind] ?? [];
      if (names.some((name) => !this.content.columns.has(nameOf(kind, name)))) return undefined;
      reply[kind] = Object.fromEntries(names.map((name) => [name, this.content.columns.get(nameOf(kind, name))]));
    }
    return reply;
  }

  /** @param {Request} request @param {any} reply */
  #addRows(request, reply) {
    const key = keyOf(request, ["run"]);
    const field = ROWS[request.path];
    const { [field]: rows, ...rest } = reply;
    const kept = this.content.rows.get(key) ?? { reply: rest, rows: new Map() };
    const byRun = Map.groupBy(/** @type {any[]} */ (rows), (row) => row.run);
    for (const run of request.fields.run) kept.rows.set(run, byRun.get(run) ?? []);
    this.content.rows.set(key, kept);
  }

  /** @param {Request} request */
  #rows(request) {
    const { reply, rows } = this.content.rows.get(keyOf(request, ["run"])) ?? {};
    const asked = request.fields.run;
    if (!rows || asked.some((run) => !rows.has(run))) return undefined;
    return { ...reply, [ROWS[request.path]]: asked.flatMap((run) => rows.get(run) ?? []) };
  }

  /** @param {Request} request @param {any} reply */
  #addSeries(request, reply) {
    const key = keyOf(request, ["tag", "expr", "run", ...RESOLUTION]);
    const { series, ...rest } = reply;
    const kept = this.content.series.get(key) ?? { reply: rest, tags: [], runs: [], parts: new Map() };
    kept.tags = [...new Set([...kept.tags, ...tagsOf(request)])];
    kept.runs = [...new Set([...kept.runs, ...(request.fields.run ?? [])])];
    const window = windowOf(request);
    const byName = Map.groupBy(/** @type {SeriesReply[]} */ (series), ({ tag, run }) => nameOf(tag, run));
    for (const [name, found] of byName)
      kept.parts.set(name, withPart(kept.parts.get(name) ?? [], { window, series: found }));
    this.content.series.set(key, kept);
  }

  /** @param {Request} request */
  #series(request) {
    const kept = this.content.series.get(keyOf(request, ["tag", "expr", "run", ...RESOLUTION]));
    /** @type {string[]} */
    const runs = request.fields.run ?? kept?.runs ?? [];
    const tags = tagsOf(request);
    if (!kept || !tags.every((tag) => kept.tags.includes(tag)) || !runs.every((run) => kept.runs.includes(run)))
      return undefined;
    const window = windowOf(request);
    const starts = this.#starts(window?.axis);
    const found = tags.flatMap((tag) =>
      runs.flatMap((run) => partFor(kept.parts.get(nameOf(tag, run)) ?? [], window)?.series ?? []),
    );
    return {
      ...kept.reply,
      tag: tags.length === 1 ? tags[0] : null,
      missing: [],
      series: found.map((series) => cut(series, window, starts.get(series.run) ?? 0)),
    };
  }

  /** Where an axis begins for each run, in seconds since 1970 or steps.
   * @param {string | undefined} axis @returns {Map<string, number>} */
  #starts(axis) {
    const fact = axis === "relative" ? "started" : axis === "relative_step" ? "first_step" : "";
    const column = this.content.columns.get(nameOf("fact", fact));
    if (!column) return new Map();
    const names = namesOf(this.content.runs.runs);
    const [numbers, places] = [numbersOf(column.number), column.row && numbersOf(column.row)];
    return new Map(Array.from(numbers, (number, at) => [names[places ? places[at] : at], number]));
  }
}

/** @param {Request} request @returns {import("./windows.js").AxisWindow | null} */
function windowOf({ fields }) {
  const [axis, lo, hi] = [fields.axis?.[0] ?? "step", fields.lo?.[0], fields.hi?.[0]];
  return lo === undefined && hi === undefined ? null : { axis, lo: lo ?? -Infinity, hi: hi ?? Infinity };
}
