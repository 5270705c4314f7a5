// The rotatable surface, drawn by plotly.js, which is loaded on first use. Browsers limit WebGL contexts: create only
// one.

import { assetUrl } from "../../../data/client/assets.js";

/** @typedef {import("../../../charts/landscape/grid.js").Grid} Grid */

/** @typedef {{x: Array<number | null>, y: Array<number | null>, heights: Array<number | null>, colours: string[]}}
 * Line null separates parts; one colour per point */

/** @typedef {{x: number, y: number, height: number, text: string, name: string, size: number, symbol: string,
 * fill: string, edge: string}} Point text is shown on hover, name next to the point */

/** The input of a drawing. Heights are losses or their logarithms; ticks map them to losses.
 * @typedef {object} Scene
 * @property {Grid} grid
 * @property {number} top height at which the surface is cut off; Infinity = nowhere
 * @property {readonly [number, number]} range of the heights, for the colours
 * @property {readonly [number, number]} zRange of everything drawn, including points above and below the surface
 * @property {string[]} shades colours from the lowest to the highest
 * @property {number[]} levels
 * @property {Array<{height: number, text: string}>} ticks
 * @property {(height: number) => number} lossOf the loss of a height
 * @property {string} lossText hover text, with {loss} as placeholder
 * @property {Line | null} line the paths
 * @property {Line | null} thin the paths on the surface, if the checkpoints are not on it, and lines from there to
 * the checkpoints
 * @property {Point[]} points the checkpoints and the convergence points
 * @property {boolean} hasColourBar
 * @property {[string, string, string]} names of the axes
 * @property {{surface: string, grid: string, text: string, label: string}} themeColours */

/** The part of plotly.js that is used.
 * @typedef {{react: Function, purge: Function, relayout: Function, toImage: Function}} Plotly */

/** @type {Promise<Plotly> | null} */
let loading = null;

/** Loads plotly.js. After a failure, the next call tries again. @returns {Promise<Plotly>} */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = assetUrl("plotly-gl3d.min.js");
    script.async = true;
    script.addEventListener("load", () => resolve(/** @type {any} */ (window).Plotly));
    script.addEventListener("error", () => {
      loading = null;
      script.remove();
      reject(new Error("plotly.js"));
    });
    document.head.append(script);
  });
  return loading;
}

/** Does this browser support WebGL? */
export function hasWebGL() {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
  // Contexts are limited: release this one.
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

/** Default distance of the eye from the centre along each axis. */
const EYE_DISTANCE = [1.58, 1.58, 1.4];
/** Opacity of a surface that may cover checkpoints. */
const TRANSLUCENT = 0.88;

/** One surface in a host element. */
export class Surface {
  /** @param {Plotly} library @param {HTMLElement} host
   * @param {{rotated: (camera: number[]) => void, rotating: () => void, pointed: (place: {x: number, y: number} |
   * null) => void, lost: () => void}} listener */
  constructor(library, host, listener) {
    this.library = library;
    this.host = host;
    this.listener = listener;
    this.isCreated = false;
    this.size = { width: 0, height: 0 };
    this.defaultCamera = [...EYE_DISTANCE, 0, 0, -0.1];
  }

  /** @param {Scene} scene @param {readonly number[] | null} camera null = default */
  async draw(scene, camera) {
    this.size = { width: this.host.clientWidth, height: this.host.clientHeight };
    this.defaultCamera = defaultCameraOf(scene.grid, this.size);
    const config = {
      displayModeBar: false,
      responsive: false,
      scrollZoom: true,
      doubleClick: "reset",
      showTips: false,
    };
    await this.library.react(
      this.host,
      tracesOf(scene),
      layoutOf(scene, this.size, this.isCreated ? this.cameraNow() : cameraOf(camera ?? this.defaultCamera)),
      config,
    );
    if (this.isCreated) return;
    this.isCreated = true;
    const events = /** @type {any} */ (this.host);
    events.on("plotly_relayout", () => {
      this.listener.rotated(numbersOf(this.cameraNow()));
      this.listener.rotating();
    });
    events.on("plotly_relayouting", () => this.listener.rotating());
    events.on("plotly_hover", (/** @type {{points: Array<{x: number, y: number}>}} */ { points: [{ x, y }] }) =>
      this.listener.pointed({ x, y }),
    );
    events.on("plotly_unhover", () => this.listener.pointed(null));
    events.on("plotly_webglcontextlost", () => this.listener.lost());
  }

  cameraNow() {
    return /** @type {any} */ (this.host)._fullLayout?.scene?._scene?.getCamera?.() ?? cameraOf(this.defaultCamera);
  }

  /** Resets the camera to its default. */
  resetCamera() {
    if (this.isCreated) this.library.relayout(this.host, { "scene.camera": cameraOf(this.defaultCamera) });
  }

  /** Is this the default camera?
   * @param {number[]} numbers */
  isDefaultCamera(numbers) {
    return numbers.every((number, at) => Math.abs(number - this.defaultCamera[at]) < 1e-3);
  }

  /** Rotates the eye around the centre and tilts it.
   * @param {number} turnBy @param {number} tiltBy both in degrees */
  rotate(turnBy, tiltBy) {
    if (!this.isCreated) return;
    const { eye, center } = this.cameraNow();
    const distance = Math.hypot(eye.x, eye.y, eye.z);
    const angle = Math.atan2(eye.y, eye.x) + (turnBy * Math.PI) / 180;
    const tilt = Math.max(-1.5, Math.min(1.5, Math.asin(eye.z / distance) + (tiltBy * Math.PI) / 180));
    const rotated = [Math.cos(angle) * Math.cos(tilt), Math.sin(angle) * Math.cos(tilt), Math.sin(tilt)].map(
      (part) => part * distance,
    );
    this.library.relayout(this.host, { "scene.camera": cameraOf([...rotated, center.x, center.y, center.z]) });
  }

  /** The pixel position of a scene point in the host; null before the first drawing.
   * @param {number} x @param {number} y @param {number} height */
  place(x, y, height) {
    const scene = /** @type {any} */ (this.host)._fullLayout?.scene?._scene;
    if (!this.isCreated || !scene?.glplot) return null;
    const [sx, sy, sz] = scene.dataScale;
    const { model, view, projection } = scene.glplot.cameraParams;
    const [left, top, , depth] = [model, view, projection].reduce(transform, [x * sx, y * sy, height * sz, 1]);
    const box = scene.container.getBoundingClientRect();
    const origin = this.host.getBoundingClientRect();
    return {
      left: box.left - origin.left + ((1 + left / depth) / 2) * box.width,
      top: box.top - origin.top + ((1 - top / depth) / 2) * box.height,
    };
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.isCreated || !width || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.library.relayout(this.host, this.size);
  }

  /** @returns {Promise<Blob>} a PNG */
  async png() {
    /** @type {string} */
    const address = await this.library.toImage(this.host, { format: "png", ...this.size, scale: 2 });
    // Decodes the data URL, which the content security policy does not allow to fetch.
    const bytes = Uint8Array.from(atob(address.slice(address.indexOf(",") + 1)), (sign) => sign.charCodeAt(0));
    return new Blob([bytes], { type: "image/png" });
  }

  destroy() {
    this.library.purge(this.host);
    this.isCreated = false;
  }
}

/** The default camera looks over the lowest corner, so that nothing high is in front; from further away if the host
 * is narrow.
 * @param {Grid} grid @param {{width: number, height: number}} size */
function defaultCameraOf({ x, y, heights }, { width, height }) {
  const columns = x.length;
  const corners = [
    [0, 0],
    [columns - 1, 0],
    [0, y.length - 1],
    [columns - 1, y.length - 1],
  ].map(([column, row]) => ({
    height: heights[row * columns + column],
    right: column > 0 === x[columns - 1] >= x[0] ? 1 : -1,
    up: row > 0 === y[y.length - 1] >= y[0] ? 1 : -1,
  }));
  const { right, up } = corners.reduce((low, corner) => (corner.height < low.height ? corner : low));
  const away = Math.max(1, Math.min(1.7, (1.2 * height) / (width || height)));
  return [right * EYE_DISTANCE[0] * away, up * EYE_DISTANCE[1] * away, EYE_DISTANCE[2] * away, 0, 0, -0.1];
}

/** @param {readonly number[]} numbers */
function cameraOf(numbers) {
  const [x, y, z, cx, cy, cz] = numbers;
  return { eye: { x, y, z }, center: { x: cx, y: cy, z: cz }, up: { x: 0, y: 0, z: 1 } };
}

/** Multiplies a point by a column-major matrix, as in WebGL.
 * @param {number[]} point @param {ArrayLike<number>} matrix */
const transform = (point, matrix) =>
  [0, 1, 2, 3].map((row) => point.reduce((sum, value, column) => sum + matrix[4 * column + row] * value, 0));

/** @param {ReturnType<typeof cameraOf>} camera */
const numbersOf = ({ eye, center }) => [eye.x, eye.y, eye.z, center.x, center.y, center.z];

/** @param {Scene} scene */
function tracesOf(scene) {
  const traces = [surfaceTrace(scene)];
  if (scene.thin) traces.push(lineTrace(scene.thin, 2, 0.6));
  if (scene.line) traces.push(lineTrace(scene.line, 6));
  if (scene.points.length) traces.push(pointsTrace(scene.points));
  return traces;
}

/** @param {Scene} scene @returns {object} */
function surfaceTrace(scene) {
  const { grid, range, shades, themeColours } = scene;
  const rows = Array.from(grid.y, (_, row) =>
    Array.from(grid.heights.subarray(row * grid.x.length, (row + 1) * grid.x.length), (height) =>
      Number.isNaN(height) ? null : height,
    ),
  );
  return {
    type: "surface",
    x: [...grid.x],
    y: [...grid.y],
    z: rows.map((row) => row.map((height) => (height === null ? null : Math.min(height, scene.top)))),
    cmin: range[0],
    cmax: range[1],
    showscale: scene.hasColourBar,
    opacity: scene.thin ? TRANSLUCENT : 1,
    colorbar: {
      thickness: 12,
      len: 0.92,
      outlinewidth: 0,
      xpad: 8,
      tickfont: { size: 10, color: themeColours.label },
      tickmode: "array",
      tickvals: scene.ticks.map(({ height }) => height),
      ticktext: scene.ticks.map(({ text }) => text),
    },
    colorscale: shades.map((shade, at) => [at / (shades.length - 1), shade]),
    contours: { z: contoursOf(scene), x: { highlight: false }, y: { highlight: false } },
    lighting: { ambient: 0.78, diffuse: 0.5, specular: 0.08, roughness: 0.9, fresnel: 0.05 },
    customdata: rows.map((row) => row.map((height) => (height === null ? null : scene.lossOf(height)))),
    hovertemplate: `${scene.lossText.replace("{loss}", "%{customdata:.4~g}")}<br>%{x:.4~g}, %{y:.4~g}<extra></extra>`,
  };
}

/** @param {Scene} scene */
const contoursOf = ({ levels, themeColours }) =>
  levels.length
    ? {
        show: true,
        start: levels[0],
        end: levels[levels.length - 1],
        size: levels.length > 1 ? levels[1] - levels[0] : 1,
        color: themeColours.surface,
        width: 1,
        usecolormap: false,
        highlight: false,
      }
    : { show: false };

/** @param {Line} line @param {number} width */
const lineTrace = ({ x, y, heights, colours }, width, opacity = 1) => ({
  type: "scatter3d",
  mode: "lines",
  x,
  y,
  z: heights,
  opacity,
  hoverinfo: "skip",
  line: { color: colours, width },
});

/** One trace for all points: each trace compiles its own shaders. @param {Scene["points"]} points */
function pointsTrace(points) {
  const of = (/** @type {keyof Point} */ name) => points.map((point) => point[name]);
  return {
    type: "scatter3d",
    mode: "markers",
    x: of("x"),
    y: of("y"),
    z: of("height"),
    text: of("text"),
    hovertemplate: "%{text}<extra></extra>",
    marker: {
      size: of("size"),
      sizeref: 0.5,
      symbol: of("symbol"),
      color: of("fill"),
      line: { color: of("edge"), width: 1.5 },
    },
  };
}

/** Labels next to points, with a background so that they are readable on any colour.
 * @param {Scene} scene */
const namesOf = ({ points, themeColours }) =>
  points.flatMap(({ x, y, height: z, name: text }) =>
    text
      ? [
          {
            x,
            y,
            z,
            text,
            showarrow: false,
            yshift: 16,
            bgcolor: themeColours.surface,
            opacity: 0.85,
            borderpad: 2,
            font: { color: themeColours.text, size: 12 },
          },
        ]
      : [],
  );

/** @param {Scene} scene @param {{width: number, height: number}} size @param {ReturnType<typeof cameraOf>} camera */
function layoutOf(scene, size, camera) {
  const { names, ticks, zRange, themeColours } = scene;
  const axis = (/** @type {string} */ title) => ({
    title: { text: title, font: { size: 11 } },
    color: themeColours.label,
    gridcolor: themeColours.grid,
    zerolinecolor: themeColours.grid,
    linecolor: themeColours.grid,
    showbackground: false,
    showspikes: false,
    gridwidth: 1,
    tickfont: { size: 10 },
    nticks: 6,
  });
  const padding = (zRange[1] - zRange[0]) * 0.02 || 0.5;
  return {
    autosize: false,
    ...size,
    margin: { l: 0, r: 0, t: 0, b: 0 },
    showlegend: false,
    paper_bgcolor: "rgba(0,0,0,0)",
    uirevision: "kept",
    font: {
      family: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif",
      color: themeColours.text,
    },
    hoverlabel: {
      bgcolor: themeColours.surface,
      bordercolor: themeColours.label,
      font: { color: themeColours.text, size: 12 },
      align: "left",
    },
    scene: {
      domain: { x: [0.03, 0.95], y: [0, 1] },
      uirevision: "kept",
      aspectmode: "manual",
      aspectratio: { x: 1.2, y: 1.2, z: 0.75 },
      camera,
      dragmode: "orbit",
      annotations: namesOf(scene),
      xaxis: axis(names[0]),
      yaxis: axis(names[1]),
      zaxis: {
        ...axis(names[2]),
        range: [zRange[0] - padding, zRange[1] + padding],
        tickmode: "array",
        tickvals: ticks.map(({ height }) => height),
        ticktext: ticks.map(({ text }) => text),
      },
    },
  };
}
