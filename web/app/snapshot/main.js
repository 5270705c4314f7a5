// The entry point of a snapshot: its data first, then the page.

import { openSnapshot } from "../../data/snapshot/opened.js";

const { address } = await openSnapshot(document.getElementById("snapshot-data")?.textContent ?? "");
if (!location.hash) history.replaceState(null, "", `#${address}`);
await import("../main.js");
