// A note on whether the shown landscapes share one plane, so that positions can be compared.

import { html, nothing } from "lit-html";
import { landscapes } from "./model/landscapes.js";
import { planeOf } from "./model/plane.js";
import { panes } from "./panes.js";
import { t } from "./words.js";

export function planesNote() {
  const all = landscapes.value.flatMap(({ landscape }) => (landscape && !landscape.error ? [landscape] : []));
  if (all.length < 2) return nothing;
  if (panes.value.length === 1)
    return html`<p class="land-note" role="status" data-note="one_surface">${t("land.one_surface")}</p>`;
  const planes = new Set(all.map(planeOf));
  if (planes.size === 1)
    return html`<p class="land-note" role="status" data-note="one_plane">${t("land.one_plane")}</p>`;
  const areKnown = all.every(({ diagnostics }) => diagnostics?.provenance.axes);
  return html`<p class="page-note" role="status"
    data-note="other_planes">${t(areKnown ? "land.other_planes" : "land.unknown_planes")}</p>`;
}
