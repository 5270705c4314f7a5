// The run under the cursor of a plot: it is pointed at on the whole page, and a click opens its details.

import { hoveredRun, panel } from "../../data/view/pointer.js";

/** Follows the pointer, at most once a frame, until the returned function is called.
 * @param {HTMLElement} plot @param {(x: number, y: number) => string | undefined} runAt a point of the plot */
export function followPointer(plot, runAt) {
  const stop = new AbortController();
  const { signal } = stop;
  let frame = 0;
  const move = (/** @type {PointerEvent} */ { clientX, clientY, buttons }) => {
    if (buttons) return;
    const { left, top } = plot.getBoundingClientRect();
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      hoveredRun.value = runAt(clientX - left, clientY - top) ?? null;
    });
  };
  const leave = () => {
    cancelAnimationFrame(frame);
    hoveredRun.value = null;
  };
  const open = () => {
    const run = hoveredRun.peek();
    if (run !== null) panel.value = { kind: "run", run };
  };
  plot.addEventListener("pointermove", move, { signal });
  plot.addEventListener("pointerleave", leave, { signal });
  plot.addEventListener("click", open, { signal });
  return () => {
    cancelAnimationFrame(frame);
    stop.abort();
  };
}
