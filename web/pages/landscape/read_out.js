// The read-out of a map next to the pointer.

import { html, nothing, render } from "lit-html";
import { t } from "./words.js";

const box = document.createElement("div");
box.id = "land-read-out";
box.hidden = true;
box.setAttribute("role", "status");

/** The content of a read-out.
 * @typedef {{title: string, loss: string, rows: Array<[what: string, value: string]>, note: string, where: string}}
 * ReadOut */

/** @param {number} left @param {number} top in the window @param {ReadOut} readOut */
export function showReadOut(left, top, { title, loss, rows, note, where }) {
  // Only descendants of the full-screen element are visible.
  const host = document.fullscreenElement ?? document.body;
  if (box.parentNode !== host) host.append(box);
  render(
    html`${title ? html`<b>${title}</b>` : nothing}<span class="loss">${t("land.read_loss", { loss })}</span>
    ${
      rows.length ? html`<dl>${rows.map(([what, value]) => html`<dt>${what}</dt><dd>${value}</dd>`)}</dl>` : nothing
    }<span class="meta">${note}</span><span class="meta">${where}</span>`,
    box,
  );
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  const beside = left + 14 + width <= innerWidth - 8 ? left + 14 : Math.max(8, left - 14 - width);
  box.style.transform = `translate(${beside}px, ${Math.max(
    8,
    Math.min(innerHeight - height - 8, top - height - 10),
  )}px)`;
}

export const hideReadOut = () => void (box.hidden = true);
