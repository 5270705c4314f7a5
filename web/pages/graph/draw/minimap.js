// The whole graph, small: drawn once for each layout and theme.

/** @typedef {import("../model/scene.js").Scene} Scene */
/** @typedef {import("./theme.js").Inks} Inks */

/** @param {HTMLCanvasElement} canvas @param {Scene} scene @param {Inks} inks @param {{width: number, height: number}} most room there is
 * @returns {number} pixels for each of the graph's */
export function drawMinimap(canvas, scene, inks, most) {
  const ratio = devicePixelRatio || 1;
  const scale = Math.min(most.width / scene.width, most.height / scene.height);
  const [width, height] = [Math.max(1, Math.round(scene.width * scale)), Math.max(1, Math.round(scene.height * scale))];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(scale * ratio, scale * ratio);
  for (const { isOpen, box, depth, x, y, width: wide, height: high } of scene.boxes) {
    context.fillStyle = isOpen ? inks.inside[depth % 2] : box.kind === "scope" ? inks.note : inks.edge;
    context.fillRect(x, y, wide, high);
  }
  return scale;
}
