// Downloads of a landscape: the current picture, an interactive document, the data.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { isEven, lossOf } from "../../charts/landscape/grid.js";
import { tokens } from "../../charts/theme.js";
import { fileName, pngOf, save } from "../../controls/download.js";
import { openAt, popover } from "../../controls/popover.js";
import { nameOf } from "../../controls/run_name.js";
import { landscapeFileUrl } from "../../data/kinds/landscapes.js";
import { theme } from "../../data/view/view.js";
import { language } from "../../i18n/language.js";
import { titleOf } from "./captions.js";
import { heights } from "./model/drawing.js";
import { keyOf } from "./model/landscapes.js";
import { camera, colours, scale } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./landscape_pane.js").LandscapePane} LandscapePane */
/** @typedef {import("./model/landscape.js").Landscape} Landscape */

const ID = "land-downloads";
/** @type {import("@preact/signals-core").Signal<LandscapePane | null>} */
const open = signal(null);

/** @param {LandscapePane} pane @param {MouseEvent} event on its button */
export function openDownloads(pane, event) {
  open.value = pane;
  const sheet = document.getElementById(ID);
  if (!sheet) return;
  // A popover outside the full-screen element would not be visible.
  if (document.fullscreenElement) document.exitFullscreen();
  openAt(ID, event);
}

const close = () => document.getElementById(ID)?.hidePopover();

export const downloads = () =>
  popover(
    { id: ID, label: t("land.download") },
    open.value?.model ? sheet(open.value, open.value.model.landscape) : nothing,
  );

/** Download buttons: pictures of the pane, and the files of each landscape in it.
 * @param {LandscapePane} pane @param {Landscape} drawn */
function sheet(pane, drawn) {
  const { trajectories } = pane;
  const all = trajectories.map(({ landscape }) => landscape);
  const name = (/** @type {string} */ ending) => fileName(`${drawn.run}_${drawn.tag}`, ending);
  const button = (/** @type {string} */ key, /** @type {string} */ hint, /** @type {() => void} */ act) => {
    const clicked = () => {
      close();
      act();
    };
    return html`<button class="plain" data-key=${key} title=${hint} @click=${clicked}>${key.toUpperCase()}</button>`;
  };
  const pictures = html`${button("png", t("land.png_hint"), () => void savePng(pane, all, name("png")))}
    ${
      pane.dataset.view === "surface"
        ? nothing
        : button("svg", t("land.svg_hint"), () => void saveSvg(pane, all, name("svg")))
    }`;
  return repeat(
    trajectories,
    ({ landscape }) => keyOf(landscape),
    (trajectory) => {
      const { landscape } = trajectory;
      return html`<div class="menu-downloads" role="group" aria-label=${t("land.download")} data-run=${landscape.run}>
      <span>${
        all.length > 1 ? nameOf(landscape.run) : titleOf(landscape.tag)
      }</span>${landscape === drawn ? pictures : nothing}${files(
        trajectory,
        trajectories.filter((other) => other !== trajectory),
      )}</div>`;
    },
  );
}

/** @param {import("./panes.js").Trajectory} trajectory
 * @param {import("./panes.js").Trajectory[]} others on its surface */
function files({ landscape, colour }, others) {
  const which = Object.entries({ run: landscape.run, tag: landscape.tag, publication: String(landscape.publication) });
  const appearance = Object.entries({
    scale: scale.value,
    colours: colours.value,
    theme: theme.value,
    lang: language.value,
    path_colour: colour,
  });
  const {
    range: [, top],
    scale: scaleOfTop,
    isClipped,
  } = heights.value;
  if (isClipped) appearance.push(["top", String(lossOf(top, scaleOfTop))]);
  if (camera.value) appearance.push(["camera", camera.value.join(",")]);
  for (const other of others) appearance.push(["other", other.landscape.run], ["path_colour", other.colour]);
  const file = (
    /** @type {import("../../data/kinds/landscapes.js").FileFormat} */ format,
    /** @type {string} */ hint,
    parameters = which,
  ) =>
    html`<a class="plain" data-key=${format} href=${landscapeFileUrl(format, parameters)} download=${fileName(
      `${landscape.run}_${landscape.tag}`,
      format,
    )} title=${hint} @click=${close}>${format.toUpperCase()}</a>`;
  return html`${file("html", t("land.html_hint"), [...which, ...appearance])}
    ${file("csv", t("land.csv_hint"))}
    ${file("npz", t("land.npz_hint"))}
    ${isEven(landscape.x) && isEven(landscape.y) ? file("vti", t("land.vti_hint")) : nothing}
    ${landscape.path?.x.length ? file("vtp", t("land.vtp_hint")) : nothing}`;
}

/** @param {LandscapePane} pane @param {Landscape[]} all @param {string} name */
async function saveSvg(pane, all, name) {
  const { svg } = await pane.picture();
  if (svg) save(new Blob([titled(svg, all)], { type: "image/svg+xml" }), name);
}

/** @param {LandscapePane} pane @param {Landscape[]} all @param {string} name */
async function savePng(pane, all, name) {
  const { svg, png } = await pane.picture();
  const map = svg && (await pngOf(titled(svg, all)));
  if (map && png) save(await sideBySide(map, png), name);
  else if (map ?? png) save(/** @type {Blob} */ (map ?? png), name);
}

/** @param {Blob} leftPicture @param {Blob} rightPicture */
async function sideBySide(leftPicture, rightPicture) {
  const [left, right] = await Promise.all([createImageBitmap(leftPicture), createImageBitmap(rightPicture)]);
  const canvas = Object.assign(document.createElement("canvas"), {
    width: left.width + right.width,
    height: Math.max(left.height, right.height),
  });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = tokens().surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(left, 0, 0);
  context.drawImage(right, left.width, canvas.height - right.height);
  return new Promise((/** @type {(picture: Blob) => void} */ resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png"),
  );
}

const TITLE_HEIGHT = 34;

/** The drawing as an SVG document with a title. @param {SVGElement} drawn @param {Landscape[]} all */
function titled(drawn, all) {
  const copy = /** @type {SVGElement} */ (drawn.cloneNode(true));
  const [width, height] = [Number(copy.getAttribute("width")), Number(copy.getAttribute("height"))];
  const themeColours = tokens();
  const svgElement = (
    /** @type {string} */ name,
    /** @type {Record<string, string | number>} */ attributes,
    text = "",
  ) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.textContent = text;
    return element;
  };
  copy.removeAttribute("aria-hidden");
  copy.setAttribute("height", String(height + TITLE_HEIGHT));
  copy.setAttribute("viewBox", `0 ${-TITLE_HEIGHT} ${width} ${height + TITLE_HEIGHT}`);
  const title = [...all.map(({ run }) => nameOf(run)), titleOf(all[0].tag)].join(" · ");
  copy.prepend(
    svgElement("title", {}, title),
    svgElement("rect", { y: -TITLE_HEIGHT, width, height: height + TITLE_HEIGHT, fill: themeColours.surface }),
    svgElement("text", { x: 12, y: -12, "font-size": 14, "font-weight": 600, fill: themeColours.text }, title),
  );
  return new XMLSerializer().serializeToString(copy).replace(/<!--[\s\S]*?-->/g, "");
}
