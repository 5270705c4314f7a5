// What this document is: a page of a server, a snapshot, or a page whose replies are recorded for one.

import { signal } from "@preact/signals-core";

/** @typedef {import("../view/address.js").PageName} PageName */

/** What a snapshot says about itself.
 * @typedef {object} SnapshotFacts
 * @property {number} made seconds since 1970
 * @property {string} logdir the name of the folder, without its path
 * @property {PageName[]} pages
 * @property {string} address the view that is opened
 */

/** null = this is no snapshot. @type {import("@preact/signals-core").Signal<SnapshotFacts | null>} */
export const snapshot = signal(null);

/** What is asked of a page whose replies are recorded.
 * @typedef {object} RecordingOrder
 * @property {string[]} runs
 * @property {PageName[]} pages
 * @property {boolean} allPoints
 * @property {(done: number, bytes: number) => void} progress `done`: from 0 to 1
 * @property {(content: string) => void} finished
 * @property {(error: Error) => void} failed
 */

/** The order is a property of the frame that contains this document; null = nothing is recorded.
 * @type {RecordingOrder | null} */
export const recordingOrder =
  globalThis.frameElement && "recordingOrder" in globalThis.frameElement
    ? /** @type {RecordingOrder} */ (globalThis.frameElement.recordingOrder)
    : null;

/** Does the page follow a server? */
export const followsServer = () => snapshot.value === null && recordingOrder === null;
