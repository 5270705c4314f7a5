// Requests about meshes.

import { readColumns } from "../../data/client/client.js";

/** @typedef {object} Geometry
 * @property {number} step @property {number} samples
 * @property {Float32Array} vertices @property {Uint32Array} faces @property {Uint8Array | null} colours
 * @property {number} vertex_count @property {number} face_count
 * @property {boolean} is_decimated
 * @property {number} lost_vertices @property {number} lost_faces
 * @property {string[]} problems */

/** @param {{run: string, tag: string, step: number, sample: number, rank?: number, attempt?: number}} query */
export function pathOf(query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `meshes/geometry?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Geometry>} */
export const readGeometry = (path, signal) => readColumns(path, signal);
