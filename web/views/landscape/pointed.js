// The step that the reader points at, on a path or on the loss curve beside it.

import { signal } from "@preact/signals-core";

/** null = none. @type {import("@preact/signals-core").Signal<number | null>} */
export const pointedMoment = signal(null);
