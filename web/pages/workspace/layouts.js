// The custom-scalar layouts that TensorBoard's writers recorded, as workspaces.

import { computed } from "@preact/signals-core";
import { runs } from "../../data/catalogue.js";
import { fetchJson } from "../../data/client.js";
import { Query } from "../../data/query.js";

/** @type {Query<import("../../data/api_types.js").LayoutList>} */
const query = new Query((_key, signal) => fetchJson("layouts", { signal }), { interval: 10_000 });

export const layouts = computed(() => query.value.value?.layouts ?? []);

/** Why some are missing. */
export const layoutProblems = computed(() => query.value.value?.problems ?? []);

/** The runs that have a layout. */
const having = computed(() =>
  runs.value.flatMap(({ run, plugins }) => (plugins.custom_scalars ? [run] : [])).join("\n"),
);

/** Fetches them until the returned function is called. */
export const followLayouts = () => query.observe(() => query.select(having.value ? "layouts" : null, having.value));
