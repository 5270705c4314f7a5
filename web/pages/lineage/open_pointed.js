// A click on a line or a point: the details of its run.

import { panel, pointedRun } from "../../data/pointer.js";

export function openPointed() {
  const run = pointedRun.peek();
  if (run !== null) panel.value = { kind: "run", run };
}
