// The pages that few open first: one file, which the browser loads when there is time.

export * as compare from "./compare/page.js";
export * as graph from "./graph/page.js";
export * as histograms from "./histograms/page.js";
export * as images from "./images/page.js";
export * as landscape from "./landscape/page.js";
export * as lineage from "./lineage/page.js";
export * as tensors from "./tensors/page.js";
export * as text from "./text/page.js";
