// The language of the page.

import { signal } from "@preact/signals-core";

/** Follows the address, the user's choice and the browser; see data/view.js.
 * @type {import("@preact/signals-core").Signal<"en" | "zh">} */
export const language = signal("en");
