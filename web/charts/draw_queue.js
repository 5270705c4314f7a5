// Draws a few charts per frame, in the order in which they were scheduled, so that many charts never block the page.

/** Milliseconds of a frame that drawing may use. */
const BUDGET = 8;
/** Charts of a frame: without a GPU the browser rasterizes them after the scripts of the frame, which takes longer than
 * they do, and in one task. */
const MOST = 3;

/** @type {Set<() => void>} */
const waiting = new Set();
/** Drawn only while nothing else is waiting. @type {Set<() => void>} */
const background = new Set();
let frame = 0;

/** Draws in the next frame that has time; scheduling twice draws once.
 * @param {() => void} draw */
export function scheduleDraw(draw) {
  waiting.add(draw);
  scheduleFrame();
}

/** Draws in the next frame in which nothing else is waiting: for slow drawings.
 * @param {() => void} draw */
export function scheduleDrawLast(draw) {
  background.add(draw);
  scheduleFrame();
}

/** @param {() => void} draw */
export function cancelDraw(draw) {
  waiting.delete(draw);
  background.delete(draw);
}

function scheduleFrame() {
  if (!frame) frame = requestAnimationFrame(drawSome);
}

function drawSome() {
  frame = 0;
  const until = performance.now() + BUDGET;
  const queue = waiting.size ? waiting : background;
  let drawn = 0;
  try {
    for (const draw of queue) {
      queue.delete(draw);
      draw();
      if (++drawn >= MOST || performance.now() >= until) break;
    }
  } finally {
    // Also after an exception: the other charts are still drawn.
    if (waiting.size || background.size) scheduleFrame();
  }
}
