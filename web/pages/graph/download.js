// The graph taken away as it is drawn, all of it.

import { fileName } from "../../controls/download.js";
import { nameOf } from "../../controls/run_row.js";
import { drawGraph } from "./draw/picture.js";
import { graphSvg } from "./draw/svg.js";
import { FONT } from "./draw/text_width.js";
import { graphInks, lineWidth, radiusOf } from "./draw/theme.js";
import { graph, run } from "./graph_list.js";
import { scene } from "./selection_state.js";
import { emphasis } from "./viewport.js";

/** Pixels of a picture for each of the drawing, and how many it may have in all. */
const SHARPNESS = 2;
const MOST_PIXELS = 24e6;
const LONGEST = 8000;

const title = () => [nameOf(run.peek()), graph.peek()?.name ?? ""].filter(Boolean).join(" · ");

/** @param {string} ending */
export const graphFile = (ending) => fileName(`${run.peek()}_graph`, ending);

export function graphSvgFile() {
  const drawn = scene.peek();
  if (!drawn) throw new Error("no graph is drawn");
  return new Blob([graphSvg(drawn, title(), { inks: graphInks(), font: FONT, radius: radiusOf, width: lineWidth })], {
    type: "image/svg+xml",
  });
}

/** @returns {Promise<Blob>} */
export async function graphPng() {
  const drawn = scene.peek();
  if (!drawn) throw new Error("no graph is drawn");
  const scale = Math.min(
    SHARPNESS,
    LONGEST / Math.max(drawn.width, drawn.height),
    Math.sqrt(MOST_PIXELS / drawn.width / drawn.height),
  );
  const size = { width: Math.ceil(drawn.width * scale), height: Math.ceil(drawn.height * scale) };
  const canvas = Object.assign(document.createElement("canvas"), size);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  drawGraph(context, drawn, { x: drawn.width / 2, y: drawn.height / 2, scale }, size, 1, graphInks(), {
    ...emphasis.peek(),
    hovered: "",
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png"),
  );
}
