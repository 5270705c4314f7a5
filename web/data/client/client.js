// Requests to the server of this page. Every URL is relative, so that path prefixes and proxies work.

import { t } from "../../i18n/words.js";
import { recordingOrder } from "../snapshot/state.js";
import { decodeCbor } from "./cbor.js";

/** @typedef {import("./api_types.js").RunColumnsReply} RunColumnsReply */
/** @typedef {import("./api_types.js").RunDetails} RunDetails */
/** @typedef {import("./api_types.js").TagRow} TagRow */
/** @typedef {import("./api_types.js").ScalarsRequest} ScalarsRequest */
/** @typedef {import("./api_types.js").ScalarsReply} ScalarsReply */

const CBOR = "application/cbor";

/** The server refused a request. Show `message`; a retry may succeed. */
export class RequestError extends Error {
  /** Seconds after which the server may accept it; 0 = it does not say so. */
  retryAfter = 0;

  /** @param {number} status @param {string} detail @param {any} [reply] the body, if it is JSON */
  constructor(status, detail, reply = null) {
    super(detail);
    this.status = status;
    this.reply = reply;
  }
}

/** Asks for a path below "api/". Returns a reply in JSON or CBOR decoded, and any other as an ArrayBuffer.
 * @typedef {(path: string, options?: RequestInit) => Promise<any>} Source */

/** @type {Source} */
async function askServer(path, options) {
  const response = await fetch(`./api/${path}`, options).catch(inWords);
  if (!response.ok) throw await refusalOf(response);
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) return response.json();
  const content = await response.arrayBuffer();
  return type.startsWith(CBOR) ? decodeCbor(content) : content;
}

/** What browsers say of a server that does not reply differs, and says little: "Failed to fetch".
 * @param {unknown} error @returns {never} */
function inWords(error) {
  throw error instanceof TypeError ? new Error(t("page.no_reply"), { cause: error }) : error;
}

const replaced = Promise.withResolvers();

/** A page whose replies are recorded asks for nothing before its recorder exists: it would miss the reply.
 * @type {Source} */
async function askRecorder(path, options) {
  await replaced.promise;
  return source(path, options);
}

/** The server of this page, unless the page is a snapshot or is recorded for one. */
let source = recordingOrder ? askRecorder : askServer;

/** Replaces where replies come from. @param {(server: Source) => Source} wrap */
export function replaceSource(wrap) {
  source = wrap(askServer);
  replaced.resolve(undefined);
}

/** @type {Source} */
export const fetchJson = (path, options) => source(path, options);

/** @param {string} path @param {AbortSignal} signal @returns {Promise<ArrayBuffer>} */
export const fetchBytes = (path, signal) => source(path, { signal });

/** @param {Response} response */
async function refusalOf(response) {
  const refusal = refusalIn(response, await response.text());
  refusal.retryAfter = Number(response.headers.get("retry-after"));
  return refusal;
}

/** @param {Response} response @param {string} text its body */
function refusalIn(response, text) {
  try {
    const reply = JSON.parse(text);
    const { detail } = reply;
    return new RequestError(response.status, typeof detail === "string" ? detail : JSON.stringify(detail), reply);
  } catch {
    return new RequestError(response.status, text.slice(0, 200) || `${response.status} ${response.statusText}`);
  }
}

/** Everything about some runs. @param {string[]} runs @param {AbortSignal} signal @returns {Promise<{runs: RunDetails[]}>} */
export const readRuns = (runs, signal) =>
  fetchJson(`runs?${new URLSearchParams(runs.map((run) => ["run", run]))}`, { signal });

/** @param {AbortSignal} signal @returns {Promise<{warnings?: import("./api_types.js").HealthWarning[]}>} */
export const readHealth = (signal) => fetchJson("health", { signal });

/** @param {AbortSignal} signal @returns {Promise<{tags: TagRow[]}>} */
export const listScalarTags = (signal) => fetchJson("tags?plugin=scalar&sessions=false&directions=true", { signal });

/** @param {string} path @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export const postJson = (path, body, signal) =>
  fetchJson(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });

/** @param {"PUT" | "DELETE"} method @param {string} path @param {object} [body] @returns {Promise<any>} */
export const sendJson = (method, path, body) =>
  fetchJson(path, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });

/** As CBOR, columns of numbers have a third of their size in JSON, and need no parsing.
 * @param {string} path @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
const postForColumns = (path, body, signal) =>
  source(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: CBOR },
    body: JSON.stringify(body),
    signal,
  });

/** As columns, see postForColumns. @param {string} path @param {AbortSignal} signal @returns {Promise<any>} */
export const readColumns = (path, signal) => source(path, { signal, headers: { accept: CBOR } });

/** Asks the server to compute something, and calls a function with each line of its reply, which is JSON.
 * @param {string} path @param {object} body @param {AbortSignal} signal ends the computation
 * @param {(line: any) => void} received */
export async function postForLines(path, body, signal, received) {
  const response = await fetch(`./api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  }).catch(inWords);
  if (!response.ok || !response.body) throw await refusalOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) received(JSON.parse(line));
  }
}

/** Columns of all runs, or of those that have changed.
 * @param {import("./api_types.js").RunColumnsRequest} request @param {AbortSignal} [signal]
 * @returns {Promise<RunColumnsReply>} */
export const readRunColumns = (request, signal) => postForColumns("runs/columns", request, signal);

/** @param {ScalarsRequest} request @param {AbortSignal} [signal] @returns {Promise<ScalarsReply>} */
export const readScalars = (request, signal) => postForColumns("scalars", request, signal);

/** @param {ScalarsRequest & import("./api_types.js").Grouping} request @param {AbortSignal} [signal]
 * @returns {Promise<import("./api_types.js").GroupsReply>} */
export const readGroups = (request, signal) => postForColumns("scalars/groups", request, signal);

/** Returns the URL of the exact values of tags.
 * @param {"csv" | "json"} format @param {string[]} tags @param {string[]} runs none = of all runs
 * @param {{rank?: string, attempt?: string}} [which] */
export function exportUrl(format, tags, runs, { rank = "", attempt = "" } = {}) {
  const parameters = new URLSearchParams([...tags.map((tag) => ["tag", tag]), ...runs.map((run) => ["run", run])]);
  if (rank) parameters.set("rank", rank);
  if (attempt) parameters.set("attempt", attempt);
  if (format === "json") parameters.set("points", "0");
  return `./api/scalars${format === "csv" ? ".csv" : ""}?${parameters}`;
}
