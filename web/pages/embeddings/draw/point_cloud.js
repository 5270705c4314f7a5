// Draws points with WebGL, in two or three dimensions, and finds them on the screen. A file of its own, which is loaded
// when there is something to draw.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Matrix4,
  MOUSE,
  OrthographicCamera,
  PerspectiveCamera,
  Points,
  Scene,
  ShaderMaterial,
  TOUCH,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { firstShare, nextShare, shuffled } from "./pace.js";

/** Half the height of the view, where the points are within 1 of the origin. */
const HALF = 1.1;
const FIELD_OF_VIEW = 45;
const DISTANCE = HALF / Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
const MORPH_MILLISECONDS = 400;
/** How long after a gesture all points are drawn again. */
const REST_MILLISECONDS = 200;
/** Of a point, in pixels. */
const [LARGEST, SMALLEST] = [10, 1.5];
/** The mean side of a view in which points have their usual size. */
const USUAL_ROOM = 800;

const VERTEX = `
attribute vec3 before;
attribute vec4 colour;
uniform float progress;
uniform float size;
uniform float depth;
varying vec3 shade;

void main() {
  float emphasis = floor(colour.a * 3.0 + 0.5);
  shade = colour.rgb;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(mix(before, position, progress), 1.0);
  gl_PointSize = size * (depth > 0.0 ? depth / gl_Position.w : 1.0) * (emphasis > 2.5 ? 1.6 : 1.0);
  // In front: what is emphasised.
  gl_Position.z -= emphasis * 0.02 * gl_Position.w;
  if (emphasis < 0.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `
varying vec3 shade;

void main() {
  float distance = length(gl_PointCoord - 0.5);
  float edge = fwidth(distance);
  float alpha = 1.0 - smoothstep(0.5 - edge, 0.5, distance);
  if (alpha < 0.05) discard;
  gl_FragColor = vec4(shade, alpha);
}`;

export class PointCloud {
  #scene = new Scene();
  #geometry = new BufferGeometry();
  #material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { progress: { value: 1 }, size: { value: 1 }, depth: { value: 0 } },
    alphaToCoverage: true,
  });
  #count = 0;
  #frame = 0;
  #morphStart = -Infinity;
  /** When the view moved last, and the frame before was drawn. */
  #movedAt = -Infinity;
  #drawnAt = -Infinity;
  #wasMoving = false;
  /** The share of the points that is drawn while the view moves. */
  #share = 1;
  #rest = 0;
  /** @type {OrthographicCamera | PerspectiveCamera} */
  #camera = new OrthographicCamera();
  /** @type {OrbitControls | null} */
  #controls = null;

  /** @param {HTMLCanvasElement} canvas @param {() => void} drawn is called after each frame
   * @throws {Error} there is no WebGL */
  constructor(canvas, drawn) {
    this.canvas = canvas;
    this.drawn = drawn;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.#renderer.setPixelRatio(window.devicePixelRatio);
    const points = new Points(this.#geometry, this.#material);
    points.frustumCulled = false;
    this.#scene.add(points);
    this.#setCamera(2);
  }

  /** @type {WebGLRenderer} */
  #renderer;
  #dimensions = 2;

  /** Shows points; those that were there before move to their new places if there are as many.
   * @param {Float32Array} positions x, y, z of each point, within 1 of the origin @param {2 | 3} dimensions
   * @param {boolean} morphs */
  setPoints(positions, dimensions, morphs) {
    const count = positions.length / 3;
    const old = this.#geometry.getAttribute("position");
    const isSame = morphs && count === this.#count && old;
    const before = isSame ? /** @type {BufferAttribute} */ (old) : new BufferAttribute(positions, 3);
    if (!isSame) this.#geometry.dispose(); // Its buffers are of the old number of points.
    this.#geometry.setAttribute("before", before);
    this.#geometry.setAttribute("position", new BufferAttribute(positions, 3));
    if (count !== this.#count) {
      this.#geometry.setIndex(new BufferAttribute(shuffled(count), 1));
      this.#share = firstShare(count);
    }
    this.#count = count;
    this.#morphStart = isSame ? performance.now() : -Infinity;
    if (dimensions !== this.#dimensions) this.#setCamera(dimensions);
    this.draw();
  }

  /** @param {Uint8Array} colours red, green, blue and emphasis of each point */
  setColours(colours) {
    this.#geometry.setAttribute("colour", new BufferAttribute(colours, 4, true));
    this.draw();
  }

  /** @param {string} css */
  setBackground(css) {
    this.#scene.background = new Color().setStyle(css);
    this.draw();
  }

  /** @param {2 | 3} dimensions */
  #setCamera(dimensions) {
    this.#dimensions = dimensions;
    this.#controls?.dispose();
    this.#camera =
      dimensions === 2 ? new OrthographicCamera() : new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 10 * DISTANCE);
    this.#camera.position.set(0, 0, DISTANCE);
    const controls = new OrbitControls(this.#camera, this.canvas);
    controls.enableRotate = dimensions === 3;
    controls.zoomToCursor = dimensions === 2;
    if (dimensions === 2) {
      controls.mouseButtons.LEFT = MOUSE.PAN;
      controls.touches.ONE = TOUCH.PAN;
    }
    controls.addEventListener("change", () => this.#moved());
    this.#controls = controls;
    this.resize();
  }

  /** Do gestures move the view? @param {boolean} moves */
  setMoves(moves) {
    if (this.#controls) this.#controls.enabled = moves;
  }

  /** Shows all points again. */
  reset() {
    this.#setCamera(/** @type {2 | 3} */ (this.#dimensions));
    this.draw();
  }

  /** Turns the points, or moves them in two dimensions. @param {number} right @param {number} up in tenths of the view */
  move(right, up) {
    const controls = /** @type {OrbitControls} */ (this.#controls);
    const { position, up: upward } = this.#camera;
    if (this.#dimensions === 3) {
      position.applyAxisAngle(upward, -right / 5);
      position.y = Math.max(-0.99 * DISTANCE, Math.min(0.99 * DISTANCE, position.y + (up * DISTANCE) / 8));
    } else {
      const camera = /** @type {OrthographicCamera} */ (this.#camera);
      const [dx, dy] = [(right * camera.right) / 5 / camera.zoom, (up * camera.top) / 5 / camera.zoom];
      for (const place of [position, controls.target]) place.set(place.x + dx, place.y + dy, place.z);
    }
    controls.update();
    this.draw();
  }

  /** Zooms about the centre. @param {number} factor above 1 = closer */
  zoom(factor) {
    if (this.#camera instanceof OrthographicCamera) this.#camera.zoom *= factor;
    else this.#camera.position.multiplyScalar(1 / factor);
    this.#camera.updateProjectionMatrix();
    this.#controls?.update();
    this.draw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.#renderer.setPixelRatio(window.devicePixelRatio);
    this.#renderer.setSize(width, height, false);
    const aspect = width / height;
    if (this.#camera instanceof PerspectiveCamera) this.#camera.aspect = aspect;
    else {
      const half = HALF * Math.max(1, 1 / aspect);
      Object.assign(this.#camera, { top: half, bottom: -half, left: -half * aspect, right: half * aspect });
      Object.assign(this.#camera, { near: 0, far: 10 * DISTANCE });
    }
    this.#camera.updateProjectionMatrix();
    this.draw();
  }

  /** While the view moves, as many points are drawn as this machine draws smoothly. */
  #moved() {
    this.#movedAt = performance.now();
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => this.draw(), REST_MILLISECONDS);
    this.draw();
  }

  /** Draws with the next frame. */
  draw() {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    this.#frame = 0;
    const now = performance.now();
    const isMoving = now - this.#movedAt < REST_MILLISECONDS;
    if (isMoving && this.#wasMoving) this.#share = nextShare(this.#share, now - this.#drawnAt, this.#count);
    [this.#drawnAt, this.#wasMoving] = [now, isMoving];
    this.#geometry.setDrawRange(0, isMoving ? Math.ceil(this.#share * this.#count) : this.#count);
    const progress = Math.min(1, (now - this.#morphStart) / MORPH_MILLISECONDS);
    const { uniforms } = this.#material;
    uniforms.progress.value = progress * (2 - progress);
    uniforms.size.value = this.#pointSize() * this.#renderer.getPixelRatio();
    uniforms.depth.value = this.#dimensions === 3 ? DISTANCE : 0;
    if (this.#geometry.getAttribute("colour")) this.#renderer.render(this.#scene, this.#camera);
    this.drawn();
    if (progress < 1) this.draw();
  }

  #pointSize() {
    const room = Math.sqrt(this.canvas.clientWidth * this.canvas.clientHeight) / USUAL_ROOM;
    const size = Math.max(SMALLEST, Math.min(LARGEST, (40 * room) / (this.#count + 1) ** 0.25));
    return size * (this.#camera instanceof OrthographicCamera ? Math.max(1, Math.min(4, this.#camera.zoom ** 0.4)) : 1);
  }

  /** Returns a function that calls another one with the place of a point in CSS pixels, if it is visible.
   * @param {(at: number, x: number, y: number) => void} visit */
  #visitor(visit) {
    const positions = this.#geometry.getAttribute("position")?.array ?? [];
    const colours = this.#geometry.getAttribute("colour")?.array ?? [];
    this.#camera.updateMatrixWorld();
    const { elements: m } = new Matrix4().multiplyMatrices(
      this.#camera.projectionMatrix,
      this.#camera.matrixWorldInverse,
    );
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return (/** @type {number} */ at) => {
      if (!colours[4 * at + 3]) return;
      const [x, y, z] = [positions[3 * at], positions[3 * at + 1], positions[3 * at + 2]];
      const w = m[3] * x + m[7] * y + m[11] * z + m[15];
      if (w <= 0) return;
      const [across, up] = [m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13]];
      visit(at, ((across / w + 1) * width) / 2, ((1 - up / w) * height) / 2);
    };
  }

  /** @param {(at: number, x: number, y: number) => void} visit is called for each visible point */
  #visitAll(visit) {
    const visitPoint = this.#visitor(visit);
    for (let at = 0; at < this.#count; at++) visitPoint(at);
  }

  /** The point that is nearest to a place; null if none is near. @param {number} x @param {number} y in CSS pixels
   * @param {number} [reach] in CSS pixels @returns {number | null} */
  pointAt(x, y, reach = 8) {
    let [found, nearest] = [/** @type {number | null} */ (null), reach * reach];
    this.#visitAll((at, px, py) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < nearest) [found, nearest] = [at, distance];
    });
    return found;
  }

  /** The points at places that a function chooses. @param {(x: number, y: number) => boolean} isChosen
   * @returns {number[]} */
  pointsIn(isChosen) {
    /** @type {number[]} */
    const found = [];
    this.#visitAll((at, x, y) => {
      if (isChosen(x, y)) found.push(at);
    });
    return found;
  }

  /** The places of those of some points that are visible, in CSS pixels.
   * @param {readonly number[]} points @returns {Map<number, {x: number, y: number}>} */
  placesOf(points) {
    /** @type {Map<number, {x: number, y: number}>} */
    const places = new Map();
    const visitPoint = this.#visitor((at, x, y) => places.set(at, { x, y }));
    for (const at of points) visitPoint(at);
    return places;
  }

  /** Releases the WebGL context, of which browsers have few. */
  destroy() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#rest);
    this.#controls?.dispose();
    this.#geometry.dispose();
    this.#material.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }
}
