// What is pointed at: the crosshair that all charts share, the highlighted run, the open panel.

import { signal } from "@preact/signals-core";

/** A position on an axis, which charts share by its name; null while the cursor is not over a chart.
 * @type {import("@preact/signals-core").Signal<{axis: string, x: number} | null>} */
export const crosshair = signal(null);

/** The run hovered in the run list, which every chart highlights.
 * @type {import("@preact/signals-core").Signal<string | null>} */
export const hoveredRun = signal(null);

/** The run whose line is under the cursor, which the run list highlights.
 * @type {import("@preact/signals-core").Signal<string | null>} */
export const pointedRun = signal(null);

/** The run selected with the keyboard. @type {import("@preact/signals-core").Signal<string | null>} */
export const cursorRun = signal(null);

/** What the right-hand panel shows: a run's details, the keyboard shortcuts, or nothing.
 * @type {import("@preact/signals-core").Signal<{kind: "run", run: string} | {kind: "keys"} | null>} */
export const panel = signal(null);
