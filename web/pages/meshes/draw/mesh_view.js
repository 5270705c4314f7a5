// Draws meshes and clouds of points with WebGL: any number of views share one context, of which browsers have few.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  Mesh,
  MeshLambertMaterial,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

/** @typedef {import("../model/frame.js").Frame} Frame */
/** @typedef {import("../settings.js").Mode} Mode */
/** @typedef {{vertices: Float32Array, faces: Uint32Array, colours: Uint8Array | null}} Shape */
/** Where a camera is and what it looks at, in a space where the mesh is within 1 of the origin.
 * @typedef {{position: [number, number, number], target: [number, number, number]}} Pose */

const FIELD_OF_VIEW = 40;
const DISTANCE = 1.05 / Math.sin((FIELD_OF_VIEW * Math.PI) / 360);
/** Above, in front and to the right. @type {Pose} */
const FIRST_POSE = { position: [0.45 * DISTANCE, 0.35 * DISTANCE, 0.82 * DISTANCE], target: [0, 0, 0] };
/** Of a point, in CSS pixels. */
const [LARGEST, SMALLEST] = [5, 1];

/** The WebGL context. */
export class MeshStage {
  #renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
  /** @type {Set<MeshView>} */
  #waiting = new Set();
  #frame = 0;

  /** Draws a view with the next frame. @param {MeshView} view */
  draw(view) {
    this.#waiting.add(view);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const views = [...this.#waiting];
      this.#waiting.clear();
      for (const each of views) each.drawWith(this.#renderer);
    });
  }

  /** @param {MeshView} view */
  forget(view) {
    this.#waiting.delete(view);
  }
}

export class MeshView {
  #scene = new Scene();
  #camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  #group = new Group();
  #geometry = new BufferGeometry();
  #surface = new MeshLambertMaterial({ side: DoubleSide });
  #dots = new PointsMaterial({ sizeAttenuation: false });
  /** @type {OrbitControls} */
  #controls;
  #isPosed = false;

  /** @param {HTMLCanvasElement} canvas @param {MeshStage} stage @param {() => void} moved is called after a gesture */
  constructor(canvas, stage, moved) {
    this.canvas = canvas;
    this.stage = stage;
    const sun = new DirectionalLight(0xffffff, 2);
    sun.position.set(-0.5, 1, 1);
    this.#camera.add(sun);
    this.#scene.add(this.#camera, this.#group, new HemisphereLight(0xffffff, 0x667788, 1.6));
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.setPose(FIRST_POSE);
    this.#controls.addEventListener("change", () => {
      this.draw();
      if (!this.#isPosed) moved();
    });
  }

  /** @param {Shape} shape @param {Mode} mode A cloud has points only. */
  setShape({ vertices, faces, colours }, mode) {
    this.#geometry.dispose();
    this.#geometry = new BufferGeometry();
    this.#geometry.setAttribute("position", new BufferAttribute(vertices, 3));
    if (colours) this.#geometry.setAttribute("color", new BufferAttribute(linear(colours), 3));
    this.#surface.vertexColors = this.#dots.vertexColors = colours !== null;
    this.#surface.wireframe = mode === "wireframe";
    this.#dots.size = window.devicePixelRatio * pointSize(vertices.length / 3);
    this.#surface.needsUpdate = this.#dots.needsUpdate = true;
    this.#group.clear();
    if (mode === "points" || !faces.length) this.#group.add(new Points(this.#geometry, this.#dots));
    else {
      this.#geometry.setIndex(new BufferAttribute(faces, 1));
      this.#geometry.computeVertexNormals();
      this.#group.add(new Mesh(this.#geometry, this.#surface));
    }
    this.draw();
  }

  /** @param {string} background @param {string} shade of a mesh without colours */
  setColours(background, shade) {
    this.#scene.background = new Color().setStyle(background);
    const isColoured = this.#geometry.hasAttribute("color");
    for (const material of [this.#surface, this.#dots]) material.color.setStyle(isColoured ? "#fff" : shade);
    this.draw();
  }

  /** @param {Frame} frame what is shown of the space of the mesh */
  setFrame({ centre: [x, y, z], radius }) {
    this.#group.scale.setScalar(1 / radius);
    this.#group.position.set(-x / radius, -y / radius, -z / radius);
    this.draw();
  }

  /** @returns {Pose} */
  get pose() {
    return { position: this.#camera.position.toArray(), target: this.#controls.target.toArray() };
  }

  /** @param {Pose} pose */
  setPose({ position, target }) {
    this.#isPosed = true;
    this.#camera.position.set(...position);
    this.#controls.target.set(...target);
    this.#controls.update();
    this.#isPosed = false;
    this.draw();
  }

  reset() {
    this.#camera.position.set(...FIRST_POSE.position);
    this.#controls.target.set(...FIRST_POSE.target);
    this.#controls.update();
  }

  /** Turns the mesh. @param {number} right @param {number} up in steps of about 10° */
  turn(right, up) {
    const { position } = this.#camera;
    const { target } = this.#controls;
    position.sub(target).applyAxisAngle(this.#camera.up, -right / 6);
    const distance = position.length();
    position.y = Math.max(-0.98 * distance, Math.min(0.98 * distance, position.y + (up * distance) / 6));
    position.setLength(distance).add(target);
    this.#controls.update();
  }

  /** @param {number} factor above 1 = closer */
  zoom(factor) {
    const { target } = this.#controls;
    this.#camera.position
      .sub(target)
      .multiplyScalar(1 / factor)
      .add(target);
    this.#controls.update();
  }

  draw() {
    this.stage.draw(this);
  }

  /** @param {WebGLRenderer} renderer */
  drawWith(renderer) {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) =>
      Math.round(side * window.devicePixelRatio),
    );
    const context = canvas.getContext("2d");
    if (!width || !height || !context) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const { domElement: whole } = renderer;
    if (whole.width !== width || whole.height !== height) renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    // The mesh is wholly visible in a narrow view too.
    this.#camera.zoom = Math.min(1, width / height);
    this.#camera.updateProjectionMatrix();
    renderer.render(this.#scene, this.#camera);
    context.drawImage(whole, 0, 0);
  }

  destroy() {
    this.stage.forget(this);
    this.#controls.dispose();
    this.#geometry.dispose();
    this.#surface.dispose();
    this.#dots.dispose();
  }
}

/** @param {number} count */
const pointSize = (count) => Math.max(SMALLEST, Math.min(LARGEST, 60 / Math.sqrt(count + 1) + 1));

/** The numbers with which light is computed. @param {Uint8Array} colours as screens show them */
function linear(colours) {
  const table = Float32Array.from({ length: 256 }, (_, byte) => new Color().setRGB(byte / 255, 0, 0, "srgb").r);
  return Float32Array.from(colours, (byte) => table[byte]);
}
