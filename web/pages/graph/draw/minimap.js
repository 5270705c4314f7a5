// Draws the minimap, once for each layout and theme.

/** @typedef {import("../model/scene.js").Scene} Scene */
/** @typedef {import("./theme.js").GraphTheme} GraphTheme */

/**
 * @param {HTMLCanvasElement} canvas @param {Scene} scene @param {GraphTheme} theme
 * @param {{width: number, height: number}} maximum available size
 * @returns {number} the scale: minimap pixels per graph pixel */
export function drawMinimap(canvas, scene, theme, maximum) {
  const ratio = devicePixelRatio || 1;
  const scale = Math.min(maximum.width / scene.width, maximum.height / scene.height);
  const [width, height] = [Math.max(1, Math.round(scene.width * scale)), Math.max(1, Math.round(scene.height * scale))];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(scale * ratio, scale * ratio);
  for (const { isOpen, box, depth, x, y, width: wide, height: high } of scene.boxes) {
    context.fillStyle = isOpen ? theme.inside[depth % 2] : box.kind === "scope" ? theme.note : theme.edge;
    context.fillRect(x, y, wide, high);
  }
  return scale;
}
