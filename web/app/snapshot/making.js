// The making of a snapshot: the dialog, and in its frame the recording.

export { openSnapshotDialog } from "./dialog.js";
export { record } from "./recording.js";
