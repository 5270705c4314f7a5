// The tensors page.

import { html, nothing } from "lit-html";
import { withoutRuns } from "../empty_page.js";

export const toolbar = () => nothing;
export const content = () => withoutRuns() ?? html``;
