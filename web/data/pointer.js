// Where the reader points: the crosshair all charts share, and the run that stands out.

import { signal } from "@preact/signals-core";

/** @typedef {import("./address.js").Axis} Axis */

/** x on an axis; null when the cursor is over no chart. @type {import("@preact/signals-core").Signal<{axis: Axis, x: number} | null>} */
export const crosshair = signal(null);

/** The run pointed at in the run list: it stands out in every chart. @type {import("@preact/signals-core").Signal<string | null>} */
export const pointedRun = signal(null);

/** The run the keyboard stands on. @type {import("@preact/signals-core").Signal<string | null>} */
export const cursorRun = signal(null);

/** What the right-hand panel shows: a run's details, the list of keys, or nothing.
 * @type {import("@preact/signals-core").Signal<{kind: "run", run: string} | {kind: "keys"} | null>} */
export const panel = signal(null);
