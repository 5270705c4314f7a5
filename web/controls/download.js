// Downloads: a chart as SVG or PNG, and the saving of files.

import { heightsOf } from "../charts/line_chart.js";
import { sideOf } from "../charts/plot.js";
import { colourOf, tokens } from "../charts/theme.js";
import { DASHES } from "../data/run_styles.js";
import { t } from "../i18n/words.js";
import { chartSvg } from "./chart_svg.js";
import { nameOf } from "./run_name.js";

/** @typedef {import("../charts/plot.js").Plot} Plot */

const WIDTH = 960;
const HEIGHT = 520;
/** Pixels of a PNG per pixel of the SVG. */
const SHARPNESS = 2;

/** @param {string} title @param {string} note @param {Plot} plot */
export function svgOf(title, note, plot) {
  const { left, right } = heightsOf(plot);
  const { palette: _, ...colours } = tokens();
  const lines = plot.lines.map((line) => ({
    name: nameOfLine(line),
    colour: colourOf(line),
    dash: line.style.dash % DASHES.length,
    right: sideOf(line) === "right",
    xs: line.xs,
    ys: line.ys,
    raw: line.raw,
    band: line.series.band?.low.length ? line.series.band : null,
    flag: line.flag ?? null,
  }));
  const { axis, x, log, logX = false, limits = [] } = plot;
  return chartSvg({
    title,
    note,
    width: WIDTH,
    height: HEIGHT,
    axis,
    x,
    left,
    right,
    log,
    logX,
    lines,
    limits,
    colours,
  });
}

/** @param {import("../charts/plot.js").Line} line */
export const nameOfLine = ({ run, kin = [], series }) =>
  [series.band && !run ? t("read.all_runs") : nameOf(run), ...kin].join(" · ");

/** @param {string} svg @returns {Promise<Blob>} */
export async function pngOf(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * SHARPNESS;
    canvas.height = image.naturalHeight * SHARPNESS;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser produced no PNG"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @param {Blob} content @param {string} name */
export function save(content, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(content), download: name });
  link.click();
  // The browser needs the URL until the download starts.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns a file name that is valid on every file system.
 * @param {string} tag @param {string} ending */
export const fileName = (tag, ending) => `${tag.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "chart"}.${ending}`;
