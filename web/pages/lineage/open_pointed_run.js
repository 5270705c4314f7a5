// Opens the details of the run under the cursor.

import { hoveredRun, panel } from "../../data/view/pointer.js";

export function openPointedRun() {
  const run = hoveredRun.peek();
  if (run !== null) panel.value = { kind: "run", run };
}
