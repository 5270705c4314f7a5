// The pages that are seldom opened first: a separate file, loaded when the browser is idle.

export * as compare from "../pages/compare/page.js";
export * as graph from "../pages/graph/page.js";
export * as histograms from "../pages/histograms/page.js";
export * as images from "../pages/images/page.js";
export * as landscape from "../pages/landscape/page.js";
export * as lineage from "../pages/lineage/page.js";
export * as tensors from "../pages/tensors/page.js";
export * as text from "../pages/text/page.js";
