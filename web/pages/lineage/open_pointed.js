// A click on a line or a point: the details of its run.

import { hoveredRun, panel } from "../../data/pointer.js";

export function openPointed() {
  const run = hoveredRun.peek();
  if (run !== null) panel.value = { kind: "run", run };
}
