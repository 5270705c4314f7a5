// The pages of the navigation: all, except those for data that few logdirs have and no run of this one has; and which
// of them have data.

import { computed } from "@preact/signals-core";
import { PAGES } from "./address.js";
import { runs, runsReply } from "./catalogue.js";
import { page } from "./view.js";

/** @typedef {import("./address.js").PageName} PageName */

/** The plugins whose data a page shows; the other pages show runs.
 * @type {Partial<Record<PageName, readonly string[]>>} */
const PLUGINS = {
  scalars: ["scalar"],
  histograms: ["histogram"],
  pr_curves: ["pr_curves"],
  images: ["image"],
  audio: ["audio"],
  tensors: ["tensor"],
  text: ["text"],
  graph: ["graph", "graph_keras_model", "graph_run_metadata_graph", "dataset_graph"],
  landscape: ["landscape"],
};
/** In the navigation only if a run has such data. @type {readonly PageName[]} */
const RARE = ["pr_curves", "audio"];

/** Runs with equal counts share an object. */
const recorded = computed(() => {
  const counts = new Set(runs.value.map(({ plugins }) => plugins));
  return new Set([...counts].flatMap((of) => Object.keys(of).filter((plugin) => of[plugin])));
});
/** @param {PageName} name */
const hasData = (name) => PLUGINS[name]?.some((plugin) => recorded.value.has(plugin)) ?? true;

/** Has no run data for a page? Before all runs are read, none is known to be empty. @param {PageName} name */
export const isEmptyPage = (name) => runs.value.length > 0 && !runsReply.value?.loading && !hasData(name);

/** The shown page is always among them. */
export const presentPages = computed(() =>
  PAGES.filter((name) => !RARE.includes(name) || name === page.value || hasData(name)),
);
