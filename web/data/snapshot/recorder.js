// Records the replies that a page receives, reduced to the runs of a snapshot.

import { replaceAssets } from "../client/assets.js";
import { replaceSource } from "../client/client.js";
import { reduced } from "./columns.js";
import { pack } from "./packing.js";
import { countedTags, ReplyTable, requestOf } from "./table.js";

/** @typedef {import("../client/client.js").Source} Source */

/** Bytes of a snapshot's replies before compression. */
export const MAX_BYTES = 50e6;

export class Recorder {
  #table = new ReplyTable();
  /** Fetched files by URL, and the files beside the page's script by name.
   * @type {Map<string, {type: string, content: ArrayBuffer}>} */
  #files = new Map();
  #pending = 0;
  /** How many were sent. */
  requests = 0;
  bytes = 0;

  /** @param {readonly string[]} runs @param {boolean} allPoints */
  constructor(runs, allPoints) {
    this.runs = runs;
    this.allPoints = allPoints;
    replaceSource((server) => (path, options) => this.#ask(server, path, options));
    replaceAssets((beside) => (name) => {
      void this.keepFile(name, beside(name));
      return beside(name);
    });
  }

  /** Is a request under way? */
  get isWaiting() {
    return this.#pending > 0;
  }

  /** Fetches a file once. @param {string} name @param {string} url */
  async keepFile(name, url) {
    if (this.#files.has(name)) return;
    this.#files.set(name, { type: "", content: new ArrayBuffer(0) });
    await this.#counted(async () => {
      const response = await fetch(url);
      if (!response.ok) return;
      const content = await response.arrayBuffer();
      this.#files.set(name, { type: response.headers.get("content-type") ?? "", content });
      this.bytes += content.byteLength;
    });
  }

  /** @param {import("./state.js").SnapshotFacts} facts */
  pack(facts) {
    return pack({ facts, files: this.#files, table: this.#table.content });
  }

  /** @param {Source} server @param {string} path @param {RequestInit} [options] */
  #ask(server, path, options) {
    const request = requestOf(path, options?.body);
    const body = typeof options?.body === "string" ? JSON.parse(options.body) : {};
    const send = (/** @type {object} */ fields) => server(path, { ...options, body: JSON.stringify(fields) });
    return this.#counted(async () => {
      if (request.path === "runs/columns")
        return this.#keep(request, this.#chosenRuns(await send({ ...body, since: null })));
      if (request.path === "tags" && (!request.fields.run || request.fields.together))
        return this.#keep(request, await this.#tags(server, request));
      if (request.path === "notes") return this.#keep(request, this.#chosenNotes(await server(path, options)));
      if (request.path === "alerts") return this.#keep(request, this.#chosenAlerts(await server(path, options)));
      if (request.path === "scalars") return this.#series(request, body, send);
      return this.#keep(request, await server(path, options));
    });
  }

  /** Counts a request as under way. @template Reply @param {() => Promise<Reply>} act */
  async #counted(act) {
    this.#pending++;
    this.requests++;
    try {
      return await act();
    } finally {
      this.#pending--;
    }
  }

  /** @param {import("./table.js").Request} request @param {any} reply */
  #keep(request, reply) {
    this.bytes += sizeOf(reply);
    this.#table.add(request, reply);
    return reply;
  }

  /** Only the name of the logdir: its path concerns nobody else. @param {any} reply */
  #chosenRuns(reply) {
    return {
      ...reduced(reply, this.runs),
      loading: false,
      logdir: reply.logdir.split(/[\\/]/).findLast(Boolean) ?? "",
    };
  }

  /** @param {any} reply */
  #chosenNotes(reply) {
    const runs = Object.fromEntries(Object.entries(reply.runs).filter(([run]) => this.runs.includes(run)));
    return { ...reply, runs, problems: [], read_only: true };
  }

  /** @param {import("../notes/alerts.js").AlertList} reply @returns {import("../notes/alerts.js").AlertList} */
  #chosenAlerts({ alerts, new: counts, muted_runs: muted }) {
    const isChosen = (/** @type {string} */ run) => this.runs.includes(run);
    const chosen = alerts.filter(({ run }) => isChosen(run));
    return {
      alerts: chosen.map((alert) => ({ ...alert, deliveries: [] })),
      total: chosen.length,
      new: Object.fromEntries(Object.entries(counts).filter(([run]) => isChosen(run))),
      muted_runs: muted.filter(isChosen),
      rules: [],
      problems: [],
      read_only: true,
    };
  }

  /** The tags of the requested runs, or of the chosen ones, with the number of these runs. The rows of each run are kept,
   * so that the tags of any of them can be counted.
   * @param {Source} server @param {import("./table.js").Request} request */
  async #tags(server, { fields: { run = [...this.runs], plugin } }) {
    const body = JSON.stringify({ run, plugin });
    const headers = { "content-type": "application/json" };
    const reply = await server("tags", { method: "POST", headers, body });
    return countedTags(this.#keep(requestOf("tags", body), reply));
  }

  /** Whole series too where a window is asked, so that the reader can reset the zoom.
   * @param {import("./table.js").Request} request @param {any} body @param {(fields: object) => Promise<any>} send */
  async #series(request, body, send) {
    const { cursor: _, ...whole } = body;
    if (this.allPoints && !body.column) whole.points = 0;
    const reply = this.#keep(request, await send(whole));
    const { lo, hi, ...unbounded } = whole;
    if (lo !== undefined || hi !== undefined)
      this.#keep(requestOf(request.path, JSON.stringify(unbounded)), await send(unbounded));
    return reply;
  }
}

/** About how many bytes a reply has in a snapshot, before compression. @param {any} value @returns {number} */
function sizeOf(value) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (typeof value.byteLength === "number") return value.byteLength;
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + sizeOf(part), 0);
}
