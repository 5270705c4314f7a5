// Draws charts a few a frame, in the order they asked, so that many charts never hold up the page.

/** Milliseconds of a frame that drawing may take. */
const BUDGET = 8;

/** @type {Set<() => void>} */
const waiting = new Set();
let frame = 0;

/** Draws in the next frame with room; asking twice draws once.
 * @param {() => void} draw */
export function drawSoon(draw) {
  waiting.add(draw);
  frame ||= requestAnimationFrame(drawSome);
}

/** @param {() => void} draw */
export const drawNever = (draw) => waiting.delete(draw);

function drawSome() {
  frame = 0;
  const until = performance.now() + BUDGET;
  for (const draw of waiting) {
    waiting.delete(draw);
    draw();
    if (performance.now() >= until) break;
  }
  if (waiting.size) frame = requestAnimationFrame(drawSome);
}
