// Requests for elements of tensors as .npy files, which are exact for every data type.

import { fetchBytes } from "../../../data/client/client.js";
import { readNpy } from "./npy.js";

/** One tensor: a point of a series.
 * @typedef {{run: string, tag: string, step: number, wallTime: number | string, rank?: number, attempt?: number}}
 *   TensorPoint */

/** @param {TensorPoint} place @param {string} [slice] all of the tensor by default */
export function npyAddress({ run, tag, step, wallTime, rank, attempt }, slice = "") {
  const query = new URLSearchParams({ run, tag, step: String(step), format: "npy" });
  for (const [name, value] of Object.entries({ rank, attempt }))
    if (value !== undefined) query.set(name, String(value));
  if (typeof wallTime === "number") query.set("wall_time", String(wallTime));
  if (slice) query.set("slice", slice);
  return `tensors/data?${query}`;
}

/** @param {TensorPoint} point @param {string} slice @param {AbortSignal} signal */
export const readPart = async (point, slice, signal) => readNpy(await fetchBytes(npyAddress(point, slice), signal));
