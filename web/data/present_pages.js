// The pages of the navigation: all, except those for data that few logdirs have and no run of this one has.

import { computed } from "@preact/signals-core";
import { PAGES } from "./address.js";
import { runs } from "./catalogue.js";
import { page } from "./view.js";

/** The plugins whose page is in the navigation only if a run has such data.
 * @type {Partial<Record<import("./address.js").PageName, string>>} */
const PLUGINS = { audio: "audio", pr_curves: "pr_curves" };

const recorded = computed(
  () => new Set(Object.values(PLUGINS).filter((plugin) => runs.value.some((row) => row.plugins[plugin]))),
);

/** The shown page is always among them. */
export const presentPages = computed(() =>
  PAGES.filter((name) => {
    const plugin = PLUGINS[name];
    return plugin === undefined || name === page.value || recorded.value.has(plugin);
  }),
);
