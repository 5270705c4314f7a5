// What is seldom needed first, pages and the making of snapshots: a separate file, loaded when the browser is idle.

export { Lexer } from "marked";
export * as audio from "../pages/audio/page.js";
export * as compare from "../pages/compare/page.js";
export * as embeddings from "../pages/embeddings/page.js";
export * as graph from "../pages/graph/page.js";
export * as histograms from "../pages/histograms/page.js";
export * as images from "../pages/images/page.js";
export * as landscape from "../pages/landscape/page.js";
export * as lineage from "../pages/lineage/page.js";
export * as meshes from "../pages/meshes/page.js";
export * as pr_curves from "../pages/pr_curves/page.js";
export * as tensors from "../pages/tensors/page.js";
export * as text from "../pages/text/page.js";
export * as workspace from "../pages/workspace/page.js";
export * as snapshots from "./snapshot/making.js";
