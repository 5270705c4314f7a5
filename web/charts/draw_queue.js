// Draws charts a few a frame, in the order they asked, so that many charts never hold up the page.

/** Milliseconds of a frame that drawing may take. */
const BUDGET = 8;

/** @type {Set<() => void>} */
const waiting = new Set();
/** Those that make way for the others. @type {Set<() => void>} */
const patient = new Set();
let frame = 0;

/** Draws in the next frame with room; asking twice draws once.
 * @param {() => void} draw */
export function scheduleDraw(draw) {
  waiting.add(draw);
  frame ||= requestAnimationFrame(drawSome);
}

/** Draws in the next frame in which nobody else wants to: what takes long.
 * @param {() => void} draw */
export function scheduleDrawLast(draw) {
  patient.add(draw);
  frame ||= requestAnimationFrame(drawSome);
}

/** @param {() => void} draw */
export const cancelDraw = (draw) => waiting.delete(draw) || patient.delete(draw);

function drawSome() {
  frame = 0;
  const until = performance.now() + BUDGET;
  const queue = waiting.size ? waiting : patient;
  try {
    for (const draw of queue) {
      queue.delete(draw);
      draw();
      if (performance.now() >= until) break;
    }
  } finally {
    // Also when one of them fails: the others are drawn all the same.
    if (waiting.size || patient.size) frame ||= requestAnimationFrame(drawSome);
  }
}
