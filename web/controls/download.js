// Downloads: a chart as SVG or PNG, and the saving of files.

import { unitScale } from "../charts/brush.js";
import { envelopeAlpha, envelopeOf } from "../charts/envelope.js";
import { heightsOf } from "../charts/line_chart.js";
import { projections, sideOf } from "../charts/plot.js";
import { colourOf, tokens } from "../charts/theme.js";
import { DASHES } from "../data/colours/run_styles.js";
import { t } from "../i18n/words.js";
import { chartSvg } from "./chart_svg.js";
import { nameOf } from "./run_name.js";

/** @typedef {import("../charts/plot.js").Plot} Plot */
/** @typedef {import("../charts/plot.js").Line} Line */

const WIDTH = 960;
const HEIGHT = 520;
/** Pixels of a PNG per pixel of the SVG. */
const SHARPNESS = 2;

/** @param {string} title @param {string} note @param {Plot} plot */
export function svgOf(title, note, plot) {
  const { left, right } = heightsOf(plot);
  const { palette: _, ...colours } = tokens();
  const { raw = "band" } = plot;
  const bands = new Map(plot.lines.map((line) => [line, bandOf(line, plot)]));
  const lines = plot.lines.map((line) => ({
    name: nameOfLine(line),
    colour: colourOf(line),
    dash: line.style.dash % DASHES.length,
    right: sideOf(line) === "right",
    xs: line.xs,
    ys: line.ys,
    raw: raw === "off" || bands.get(line) ? null : line.raw,
    band: bands.get(line) ?? null,
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

/** The area around a line: of a group of runs, or of the raw values of a dense series. @param {Line} line
 * @param {Plot} plot @returns {import("./chart_svg.js").Band | null} */
function bandOf(line, plot) {
  const { xs, series } = line;
  if (series.band?.low.length) return { xs, low: series.band.low, high: series.band.high, opacity: 0.18 };
  if ((plot.raw ?? "band") !== "band") return null;
  const envelope = envelopeOf(line, projections(plot, heightsOf(plot), WIDTH, HEIGHT, 1));
  if (!envelope) return null;
  const { fromUnit } = unitScale(plot.x, plot.logX ?? false);
  const { first, low, high } = envelope;
  const middles = low.map((_, column) => fromUnit((first + column + 0.5) / WIDTH));
  return { xs: middles, low, high, opacity: envelopeAlpha(plot.lines.length) };
}

/** @param {Line} line */
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
