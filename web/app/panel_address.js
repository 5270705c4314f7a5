// The open panel in the URL, so that it can be shared and the back button closes it.

import { effect } from "@preact/signals-core";
import { panel } from "../data/view/pointer.js";
import { set, setting } from "../data/view/view.js";
import { parsePanel, printPanel } from "./panel_name.js";

const inAddress = setting("app.panel", "");

/** Opens the panel of the URL, and writes the open panel into it. */
export function followPanel() {
  effect(() => {
    const name = inAddress.value;
    if (printPanel(panel.peek()) !== name) panel.value = parsePanel(name);
  });
  effect(() => {
    const name = printPanel(panel.value);
    if (name !== inAddress.peek()) set({ "app.panel": name });
  });
}
