// Downloads of the whole graph as drawn: SVG and PNG.

import { fileName } from "../../controls/download.js";
import { nameOf } from "../../controls/run_name.js";
import { drawGraph } from "./draw/canvas.js";
import { graphSvg } from "./draw/svg.js";
import { FONT } from "./draw/text_width.js";
import { cornerRadius, graphTheme, lineWidth } from "./draw/theme.js";
import { graph, run } from "./graph_list.js";
import { scene } from "./state.js";
import { emphasis } from "./viewport.js";

/** Image pixels per CSS pixel, and limits of the image's area and longer side. */
const PIXEL_RATIO = 2;
const MAX_PIXELS = 24e6;
const MAX_SIDE = 8000;

const title = () => [nameOf(run.peek()), graph.peek()?.name ?? ""].filter(Boolean).join(" · ");

/** @param {string} ending */
export const graphFile = (ending) => fileName(`${run.peek()}_graph`, ending);

export function graphSvgFile() {
  const drawn = scene.peek();
  if (!drawn) throw new Error("no graph is drawn");
  return new Blob(
    [graphSvg(drawn, title(), { theme: graphTheme(), font: FONT, cornerRadius: cornerRadius, width: lineWidth })],
    {
      type: "image/svg+xml",
    },
  );
}

/** @returns {Promise<Blob>} */
export async function graphPng() {
  const drawn = scene.peek();
  if (!drawn) throw new Error("no graph is drawn");
  const scale = Math.min(
    PIXEL_RATIO,
    MAX_SIDE / Math.max(drawn.width, drawn.height),
    Math.sqrt(MAX_PIXELS / drawn.width / drawn.height),
  );
  const size = { width: Math.ceil(drawn.width * scale), height: Math.ceil(drawn.height * scale) };
  const canvas = Object.assign(document.createElement("canvas"), size);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  drawGraph(context, drawn, { x: drawn.width / 2, y: drawn.height / 2, scale }, size, 1, graphTheme(), {
    ...emphasis.peek(),
    hovered: "",
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png"),
  );
}
