// Requests to the server this page came from; every address is relative, so that prefixes and proxies work.

/** @typedef {import("./replies.js").RunsReply} RunsReply */
/** @typedef {import("./replies.js").TagRow} TagRow */
/** @typedef {import("./replies.js").ScalarsRequest} ScalarsRequest */
/** @typedef {import("./replies.js").ScalarsReply} ScalarsReply */

/** The server answered, but not with what was asked for. Show `message`; asking again later may help. */
export class RefusedRequest extends Error {
  /** @param {number} status @param {string} detail */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} */
export async function ask(path, options) {
  const response = await fetch(`./api/${path}`, options);
  if (response.ok) return response.json();
  throw new RefusedRequest(response.status, await detailOf(response));
}

/** @param {Response} response */
async function detailOf(response) {
  const text = await response.text();
  try {
    const { detail } = JSON.parse(text);
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return text.slice(0, 200) || `${response.status} ${response.statusText}`;
  }
}

/** @returns {Promise<RunsReply>} */
export const listRuns = () => ask("runs");

/** @returns {Promise<{tags: TagRow[]}>} */
export const listScalarTags = () => ask("tags?plugin=scalar");

/** @param {string} path @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export const post = (path, body, signal) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });

/** @param {ScalarsRequest} request @param {AbortSignal} [signal] @returns {Promise<ScalarsReply>} */
export const readScalars = (request, signal) => post("scalars", request, signal);

/** @param {ScalarsRequest & import("./replies.js").Grouping} request @param {AbortSignal} [signal]
 * @returns {Promise<import("./replies.js").GroupsReply>} */
export const readGroups = (request, signal) => post("scalars/groups", request, signal);

/** Where the exact values of tags can be downloaded.
 * @param {"csv" | "json"} format @param {string[]} tags @param {string[]} runs none = of all runs
 * @param {{rank?: string, attempt?: string}} [which] */
export function exactValuesAddress(format, tags, runs, { rank = "", attempt = "" } = {}) {
  const parameters = new URLSearchParams([...tags.map((tag) => ["tag", tag]), ...runs.map((run) => ["run", run])]);
  if (rank) parameters.set("rank", rank);
  if (attempt) parameters.set("attempt", attempt);
  if (format === "json") parameters.set("points", "0");
  return `./api/scalars${format === "csv" ? ".csv" : ""}?${parameters}`;
}
