// The elements of tensors, read as NumPy's own files: exact in every data type, and nothing to parse.

import { RequestError } from "../../../data/client.js";
import { readNpy } from "./npy.js";

/** One tensor: a point of a series.
 * @typedef {{run: string, tag: string, step: number, wallTime: number | string, rank?: number, attempt?: number}} Place */

/** @param {Place} place @param {string} [slice] all of it without one */
export function npyAddress({ run, tag, step, wallTime, rank, attempt }, slice = "") {
  const query = new URLSearchParams({ run, tag, step: String(step), format: "npy" });
  for (const [name, value] of Object.entries({ rank, attempt }))
    if (value !== undefined) query.set(name, String(value));
  if (typeof wallTime === "number") query.set("wall_time", String(wallTime));
  if (slice) query.set("slice", slice);
  return `tensors/data?${query}`;
}

/** @param {Place} place @param {string} slice @param {AbortSignal} signal */
export async function readPart(place, slice, signal) {
  const address = npyAddress(place, slice);
  const response = await fetch(`./api/${address}`, { signal });
  if (!response.ok) await refuse(response);
  return readNpy(await response.arrayBuffer());
}

/** @param {Response} response */
async function refuse(response) {
  const text = await response.text();
  try {
    throw new RequestError(response.status, String(JSON.parse(text).detail));
  } catch (error) {
    throw error instanceof RequestError
      ? error
      : new RequestError(response.status, `${response.status} ${response.statusText}`);
  }
}
