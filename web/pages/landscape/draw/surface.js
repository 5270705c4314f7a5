// A landscape as a surface to turn: plotly.js, fetched when the first one is asked for. Browsers keep few WebGL
// drawings alive: make one.

/** @typedef {import("../../../charts/landscape/grid.js").Grid} Grid */

/** @typedef {{x: Array<number | null>, y: Array<number | null>, heights: Array<number | null>, colours: string[]}}
 * Line null ends a piece of it; a colour for each point */

/** @typedef {{x: number, y: number, height: number, text: string, name: string, size: number, symbol: string,
 * fill: string, edge: string}} Point its text is read when it is pointed at, its name stands beside it */

/** What is drawn; heights are losses or their logarithms, and ticks say which losses they stand for.
 * @typedef {object} Scene
 * @property {Grid} grid
 * @property {number} top where the surface ends; Infinity: it is drawn in full
 * @property {readonly [number, number]} reach of heights
 * @property {readonly [number, number]} tall of all that is drawn: of the surface, and of what stands over or under
 * it
 * @property {string[]} shades from the lowest to the highest
 * @property {number[]} levels
 * @property {Array<{height: number, text: string}>} ticks
 * @property {(height: number) => number} lossOf a height
 * @property {string} lossText what is said of the loss in place of {loss}
 * @property {Line | null} line the paths
 * @property {Line | null} thin the paths on the surface, where the checkpoints are not on it, and lines from there
 * to the checkpoints
 * @property {Point[]} points the checkpoints, and where the training converged
 * @property {boolean} hasScale
 * @property {[string, string, string]} names of the axes
 * @property {{surface: string, grid: string, text: string, label: string}} ink
 * */

/** The few things of plotly.js that are used.
 * @typedef {{react: Function, purge: Function, relayout: Function, toImage: Function}} Plotly */

/** @type {Promise<Plotly> | null} */
let coming = null;

/** plotly.js; a failed request is tried again the next time. @returns {Promise<Plotly>} */
export function plotly() {
  coming ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("./plotly-gl3d.min.js", import.meta.url).href;
    script.async = true;
    script.addEventListener("load", () => resolve(/** @type {any} */ (window).Plotly));
    script.addEventListener("error", () => {
      coming = null;
      script.remove();
      reject(new Error("plotly.js"));
    });
    document.head.append(script);
  });
  return coming;
}

/** Can this browser draw surfaces? */
export function hasWebGL() {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
  // Contexts are few: this one is given back at once.
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

/** How far the eye is from the centre, along each axis. */
const AWAY = [1.58, 1.58, 1.4];
/** Of a surface under which checkpoints may lie. */
const SEEN_THROUGH = 0.88;

/** Remembers the one WebGL drawing. */
export class Surface {
  /** @param {Plotly} library @param {HTMLElement} host
   * @param {{turned: (camera: number[]) => void, turning: () => void, pointed: (place: {x: number, y: number} |
   * null) => void, lost: () => void}} listener */
  constructor(library, host, listener) {
    this.library = library;
    this.host = host;
    this.listener = listener;
    this.isMade = false;
    this.size = { width: 0, height: 0 };
    this.usual = [...AWAY, 0, 0, -0.1];
  }

  /** @param {Scene} scene @param {readonly number[] | null} camera null = as usual */
  async draw(scene, camera) {
    this.size = { width: this.host.clientWidth, height: this.host.clientHeight };
    this.usual = usualCamera(scene.grid, this.size);
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
      layoutOf(scene, this.size, this.isMade ? this.cameraNow() : cameraOf(camera ?? this.usual)),
      config,
    );
    if (this.isMade) return;
    this.isMade = true;
    const events = /** @type {any} */ (this.host);
    events.on("plotly_relayout", () => {
      this.listener.turned(numbersOf(this.cameraNow()));
      this.listener.turning();
    });
    events.on("plotly_relayouting", () => this.listener.turning());
    events.on("plotly_hover", (/** @type {{points: Array<{x: number, y: number}>}} */ { points: [{ x, y }] }) =>
      this.listener.pointed({ x, y }),
    );
    events.on("plotly_unhover", () => this.listener.pointed(null));
    events.on("plotly_webglcontextlost", () => this.listener.lost());
  }

  cameraNow() {
    return /** @type {any} */ (this.host)._fullLayout?.scene?._scene?.getCamera?.() ?? cameraOf(this.usual);
  }

  /** As if nobody had turned it. */
  lookAsUsual() {
    if (this.isMade) this.library.relayout(this.host, { "scene.camera": cameraOf(this.usual) });
  }

  /** Is this where one looks from when nobody has turned it?
   * @param {number[]} numbers */
  isUsual(numbers) {
    return numbers.every((number, at) => Math.abs(number - this.usual[at]) < 1e-3);
  }

  /** Turns the eye around the centre, and tilts it.
   * @param {number} around @param {number} over both in degrees */
  turn(around, over) {
    if (!this.isMade) return;
    const { eye, center } = this.cameraNow();
    const distance = Math.hypot(eye.x, eye.y, eye.z);
    const angle = Math.atan2(eye.y, eye.x) + (around * Math.PI) / 180;
    const tilt = Math.max(-1.5, Math.min(1.5, Math.asin(eye.z / distance) + (over * Math.PI) / 180));
    const turned = [Math.cos(angle) * Math.cos(tilt), Math.sin(angle) * Math.cos(tilt), Math.sin(tilt)].map(
      (part) => part * distance,
    );
    this.library.relayout(this.host, { "scene.camera": cameraOf([...turned, center.x, center.y, center.z]) });
  }

  /** Where a point of the scene is seen, in pixels of the host; null before it is drawn.
   * @param {number} x @param {number} y @param {number} height */
  place(x, y, height) {
    const scene = /** @type {any} */ (this.host)._fullLayout?.scene?._scene;
    if (!this.isMade || !scene?.glplot) return null;
    const [sx, sy, sz] = scene.dataScale;
    const { model, view, projection } = scene.glplot.cameraParams;
    const [left, top, , depth] = [model, view, projection].reduce(through, [x * sx, y * sy, height * sz, 1]);
    const box = scene.container.getBoundingClientRect();
    const origin = this.host.getBoundingClientRect();
    return {
      left: box.left - origin.left + ((1 + left / depth) / 2) * box.width,
      top: box.top - origin.top + ((1 - top / depth) / 2) * box.height,
    };
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.isMade || !width || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.library.relayout(this.host, this.size);
  }

  /** @returns {Promise<Blob>} a PNG */
  async png() {
    /** @type {string} */
    const address = await this.library.toImage(this.host, { format: "png", ...this.size, scale: 2 });
    // The page may not fetch it: it decodes it.
    const bytes = Uint8Array.from(atob(address.slice(address.indexOf(",") + 1)), (sign) => sign.charCodeAt(0));
    return new Blob([bytes], { type: "image/png" });
  }

  destroy() {
    this.library.purge(this.host);
    this.isMade = false;
  }
}

/** Over the lowest of the four corners: nothing high stands in the way. Further away where it is narrow.
 * @param {Grid} grid @param {{width: number, height: number}} size */
function usualCamera({ x, y, heights }, { width, height }) {
  const wide = x.length;
  const corners = [
    [0, 0],
    [wide - 1, 0],
    [0, y.length - 1],
    [wide - 1, y.length - 1],
  ].map(([column, row]) => ({
    height: heights[row * wide + column],
    right: column > 0 === x[wide - 1] >= x[0] ? 1 : -1,
    up: row > 0 === y[y.length - 1] >= y[0] ? 1 : -1,
  }));
  const { right, up } = corners.reduce((low, corner) => (corner.height < low.height ? corner : low));
  const away = Math.max(1, Math.min(1.7, (1.2 * height) / (width || height)));
  return [right * AWAY[0] * away, up * AWAY[1] * away, AWAY[2] * away, 0, 0, -0.1];
}

/** @param {readonly number[]} numbers */
function cameraOf(numbers) {
  const [x, y, z, cx, cy, cz] = numbers;
  return { eye: { x, y, z }, center: { x: cx, y: cy, z: cz }, up: { x: 0, y: 0, z: 1 } };
}

/** A point by a matrix as WebGL has them: column by column.
 * @param {number[]} point @param {ArrayLike<number>} matrix */
const through = (point, matrix) =>
  [0, 1, 2, 3].map((row) => point.reduce((sum, value, column) => sum + matrix[4 * column + row] * value, 0));

/** @param {ReturnType<typeof cameraOf>} camera */
const numbersOf = ({ eye, center }) => [eye.x, eye.y, eye.z, center.x, center.y, center.z];

/** @param {Scene} scene */
function tracesOf(scene) {
  const { grid, reach, shades, levels, points, ink } = scene;
  const rows = Array.from(grid.y, (_, row) =>
    Array.from(grid.heights.subarray(row * grid.x.length, (row + 1) * grid.x.length), (height) =>
      Number.isNaN(height) ? null : height,
    ),
  );
  const size = levels.length > 1 ? levels[1] - levels[0] : 1;
  const lines = levels.length
    ? {
        show: true,
        start: levels[0],
        end: levels[levels.length - 1],
        size,
        color: ink.surface,
        width: 1,
        usecolormap: false,
        highlight: false,
      }
    : { show: false };
  const surface = {
    type: "surface",
    x: [...grid.x],
    y: [...grid.y],
    z: rows.map((row) => row.map((height) => (height === null ? null : Math.min(height, scene.top)))),
    cmin: reach[0],
    cmax: reach[1],
    showscale: scene.hasScale,
    opacity: scene.thin ? SEEN_THROUGH : 1,
    colorbar: {
      thickness: 12,
      len: 0.92,
      outlinewidth: 0,
      xpad: 8,
      tickfont: { size: 10, color: ink.label },
      tickmode: "array",
      tickvals: scene.ticks.map(({ height }) => height),
      ticktext: scene.ticks.map(({ text }) => text),
    },
    colorscale: shades.map((shade, at) => [at / (shades.length - 1), shade]),
    contours: { z: lines, x: { highlight: false }, y: { highlight: false } },
    lighting: { ambient: 0.78, diffuse: 0.5, specular: 0.08, roughness: 0.9, fresnel: 0.05 },
    customdata: rows.map((row) => row.map((height) => (height === null ? null : scene.lossOf(height)))),
    hovertemplate: `${scene.lossText.replace("{loss}", "%{customdata:.4~g}")}<br>%{x:.4~g}, %{y:.4~g}<extra></extra>`,
  };
  /** @type {object[]} */
  const traces = [surface];
  const line = (/** @type {Line} */ { x, y, heights, colours }, /** @type {number} */ width, opacity = 1) => ({
    type: "scatter3d",
    mode: "lines",
    x,
    y,
    z: heights,
    opacity,
    hoverinfo: "skip",
    line: { color: colours, width },
  });
  if (scene.thin) traces.push(line(scene.thin, 2, 0.6));
  if (scene.line) traces.push(line(scene.line, 6));
  // Few traces: each costs as many shaders as all others.
  if (points.length) {
    const of = (/** @type {keyof Point} */ name) => points.map((point) => point[name]);
    traces.push({
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
    });
  }
  return traces;
}

/** A name beside its mark, on a ground of its own: it is read on any colour.
 * @param {Scene} scene */
const namesOf = ({ points, ink }) =>
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
            bgcolor: ink.surface,
            opacity: 0.85,
            borderpad: 2,
            font: { color: ink.text, size: 12 },
          },
        ]
      : [],
  );

/** @param {Scene} scene @param {{width: number, height: number}} size @param {ReturnType<typeof cameraOf>} camera */
function layoutOf(scene, size, camera) {
  const { names, ticks, tall, ink } = scene;
  const axis = (/** @type {string} */ title) => ({
    title: { text: title, font: { size: 11 } },
    color: ink.label,
    gridcolor: ink.grid,
    zerolinecolor: ink.grid,
    linecolor: ink.grid,
    showbackground: false,
    showspikes: false,
    gridwidth: 1,
    tickfont: { size: 10 },
    nticks: 6,
  });
  const air = (tall[1] - tall[0]) * 0.02 || 0.5;
  return {
    autosize: false,
    ...size,
    margin: { l: 0, r: 0, t: 0, b: 0 },
    showlegend: false,
    paper_bgcolor: "rgba(0,0,0,0)",
    uirevision: "kept",
    font: {
      family: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif",
      color: ink.text,
    },
    hoverlabel: { bgcolor: ink.surface, bordercolor: ink.label, font: { color: ink.text, size: 12 }, align: "left" },
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
        range: [tall[0] - air, tall[1] + air],
        tickmode: "array",
        tickvals: ticks.map(({ height }) => height),
        ticktext: ticks.map(({ text }) => text),
      },
    },
  };
}
