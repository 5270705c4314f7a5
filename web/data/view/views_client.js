// Requests for saved views and short links.

import { fetchJson, postJson, sendJson } from "../client/client.js";

/** `version` changes with each change of the view; `changed`: seconds since 1970.
 * @typedef {{name: string, page: string, version: string, changed: number}} ViewRow */
/** `address`: the hash of the page, without theme and language.
 * @typedef {{page: string, address: string, workspace: object | null}} ViewContent */
/** @typedef {ViewRow & ViewContent} SavedView */
/** @typedef {{views: ViewRow[], default: string | null, read_only: boolean, problems: string[]}} ViewList */

/** @param {AbortSignal} signal @returns {Promise<ViewList>} */
export const listViews = (signal) => fetchJson("views", { signal });

/** @param {string} name */
const pathOf = (name) => `views/${encodeURIComponent(name)}`;

/** @param {string} name @returns {Promise<SavedView>} */
export const readView = (name) => fetchJson(pathOf(name));

/** Refused with status 409, `current` and `yours` if the stored version is not `base`.
 * @param {string} name @param {ViewContent} content @param {string | null} base null = it must not exist
 * @returns {Promise<SavedView>} */
export const writeView = (name, content, base) => sendJson("PUT", pathOf(name), { ...content, base });

/** @param {string} name @param {string} base */
export const deleteView = (name, base) => sendJson("DELETE", `${pathOf(name)}?${new URLSearchParams({ base })}`);

/** @param {string | null} name */
export const writeDefaultView = (name) => sendJson("PUT", "default-view", { name });

/** @param {string} address @param {object | null} workspace @returns {Promise<{id: string}>} */
export const makeLink = (address, workspace) => postJson("links", { address, workspace });

/** @param {string} id @returns {Promise<{address: string, workspace: object | null}>} */
export const readLink = (id) => fetchJson(`links/${encodeURIComponent(id)}`);
