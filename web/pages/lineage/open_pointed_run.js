// Opens the details of the run under the cursor.

import { panel, pointedRun } from "../../data/pointer.js";

export function openPointedRun() {
  const run = pointedRun.peek();
  if (run !== null) panel.value = { kind: "run", run };
}
