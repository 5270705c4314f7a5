// The settings of the page of embeddings in the URL.

import { computed } from "@preact/signals-core";
import { parseStep, ThrottledSetting } from "../../controls/throttled_setting.js";
import { set, setting } from "../../data/view/view.js";

export const chosenRun = setting("emb.run", "");
export const chosenName = setting("emb.name", "");
export const dimensions = setting("emb.dims", /** @type {"2" | "3"} */ ("2"), ["2", "3"]);
/** @typedef {"pca" | "umap" | "tsne"} Method */
/** @type {Method[]} */
export const METHODS = ["pca", "umap", "tsne"];
/** How positions are computed. */
export const method = setting("emb.method", /** @type {Method} */ ("pca"), METHODS);
const seedText = setting("emb.seed", "");
/** Of the random numbers of UMAP and t-SNE. */
export const seed = computed(() => (/^\d{1,9}$/.test(seedText.value) ? Number(seedText.value) : 0));
export const metric = setting("emb.metric", /** @type {"cosine" | "euclidean"} */ ("cosine"), ["cosine", "euclidean"]);
/** The names of the columns of colours and labels; "" = chosen automatically, NONE = none. */
export const colourColumn = setting("emb.colour", "");
export const labelColumn = setting("emb.label", "");
export const NONE = "-";

const stepText = new ThrottledSetting("emb.step");
/** The chosen step; null = the last one. */
export const chosenStep = computed(() => parseStep(stepText.text.value));

/** @param {number | null} step */
export const chooseStep = (step) => stepText.set(step === null ? "" : String(step));

/** The row of the point whose neighbours are shown; null = none. */
const rowText = setting("emb.row", "");
export const chosenRow = computed(() => parseStep(rowText.value));

/** @param {number | null} row */
export const chooseRow = (row) => set({ "emb.row": row === null ? "" : String(row) });

/** Returns a setter that removes the default value from the URL.
 * @param {string} name @param {string} [defaultValue] @returns {(value: string) => void} */
export const choose =
  (name, defaultValue = "") =>
  (value) =>
    set({ [name]: value === defaultValue ? "" : value });

/** @param {string} run @param {string} name Another embedding has other rows and columns. */
export const chooseEmbedding = (run, name) =>
  set({ "emb.run": run, "emb.name": name, "emb.step": "", "emb.row": "", "emb.colour": "", "emb.label": "" });
