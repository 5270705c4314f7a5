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

/** @param {ScalarsRequest} request @param {AbortSignal} [signal] @returns {Promise<ScalarsReply>} */
export const readScalars = (request, signal) =>
  ask("scalars", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });

/** Where the exact values of a tag can be downloaded.
 * @param {string} tag @param {string[]} runs none = of all runs */
export const csvAddress = (tag, runs) =>
  `./api/scalars.csv?${new URLSearchParams([["tag", tag], ...runs.map((run) => ["run", run])])}`;
