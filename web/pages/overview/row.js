// A run with everything that the table shows of it.

import { nameOf } from "../../controls/run_name.js";
import { noteOf } from "../../data/notes/notes.js";
import { rowCache } from "../../data/runs/run_table.js";

/** Looked up when it is needed: of many rows only few are shown. */
export class Row {
  /** @param {import("../../data/client/api_types.js").RunRow} runRow */
  constructor(runRow) {
    this.runRow = runRow;
    this.run = runRow.run;
  }

  /** As it is displayed. */
  get name() {
    return nameOf(this.run);
  }

  get note() {
    return noteOf(this.run);
  }

  /** Undefined until they are fetched, which is done for the visible rows. */
  get facts() {
    return rowCache.rows.value.get(this.run);
  }
}
