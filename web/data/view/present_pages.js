// The pages of the navigation: all, except those for data that few logdirs have and no run of this one has; and which
// of them have data.

import { computed } from "@preact/signals-core";
import { runs, runsReply } from "../runs/catalogue.js";
import { factsOf, PAGES } from "./page_list.js";
import { page } from "./view.js";

/** @typedef {import("./address.js").PageName} PageName */

/** Runs with equal counts share an object. */
const recorded = computed(() => {
  const counts = new Set(runs.value.map(({ plugins }) => plugins));
  return new Set([...counts].flatMap((of) => Object.keys(of).filter((plugin) => of[plugin])));
});
/** @param {PageName} name */
function hasData(name) {
  const { plugins } = factsOf(name);
  return !plugins.length || plugins.some((plugin) => recorded.value.has(plugin));
}

/** Has no run data for a page? Before all runs are read, none is known to be empty. @param {PageName} name */
export const isEmptyPage = (name) => runs.value.length > 0 && !runsReply.value?.loading && !hasData(name);

/** The shown page is always among them. */
export const presentPages = computed(() =>
  PAGES.filter((name) => !factsOf(name).isRare || name === page.value || hasData(name)),
);
