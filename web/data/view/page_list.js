// The pages, in the order of their tabs, and what the other parts must know about them.

/** @typedef {object} PageFacts
 * @property {string} letter that opens the page after "g"
 * @property {readonly string[]} plugins whose data it shows; none = it shows runs
 * @property {boolean} [isRare] whether the page is in the navigation only if a run has such data
 * @property {boolean} [drawsAll] whether it draws every visible run; other pages have tables, or limits of their own
 */

const PAGE_FACTS = /** @satisfies {Record<string, PageFacts>} */ ({
  overview: { letter: "o", plugins: [] },
  scalars: { letter: "s", plugins: ["scalar"], drawsAll: true },
  workspace: { letter: "w", plugins: [], drawsAll: true },
  histograms: { letter: "h", plugins: ["histogram"] },
  pr_curves: { letter: "p", plugins: ["pr_curves"], isRare: true },
  images: { letter: "i", plugins: ["image"] },
  audio: { letter: "a", plugins: ["audio"], isRare: true },
  tensors: { letter: "t", plugins: ["tensor"] },
  text: { letter: "x", plugins: ["text"] },
  graph: {
    letter: "g",
    plugins: ["graph", "graph_keras_model", "graph_run_metadata_graph", "dataset_graph"],
    drawsAll: true,
  },
  lineage: { letter: "l", plugins: [] },
  landscape: { letter: "d", plugins: ["landscape"], drawsAll: true },
  embeddings: { letter: "e", plugins: ["projector"], isRare: true },
  meshes: { letter: "m", plugins: ["mesh"], isRare: true },
  compare: { letter: "c", plugins: [] },
});

/** @typedef {keyof typeof PAGE_FACTS} PageName */

export const PAGES = /** @type {PageName[]} */ (Object.keys(PAGE_FACTS));

/** @param {PageName} name @returns {PageFacts} */
export const factsOf = (name) => PAGE_FACTS[name];

/** The page for the data of a plugin; undefined if there is none. @param {string} plugin */
export const pageOf = (plugin) => PAGES.find((name) => factsOf(name).plugins.includes(plugin));
