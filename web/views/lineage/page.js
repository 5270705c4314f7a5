// The lineage page.

import { nothing } from "lit-html";

export const toolbar = () => nothing;

export const content = () => nothing;
