// The width of the run list: dragged at its edge, or changed with the arrow keys, and remembered by the browser.

import { effect, signal } from "@preact/signals-core";
import { html } from "lit-html";
import { roomInList } from "../controls/run_name.js";
import { chosenValues } from "../data/runs/rail_values.js";
import { t } from "../i18n/words.js";

const KEY = "toposcope.rail";
const LEAST = 180;
const MOST = 640;
const STEP = 24;
const DEFAULT = 272;
/** Beside the names: mark, eye, line, value; and each further value. */
const BESIDE_NAMES = 146;
const VALUE = 58;
const LETTER = 8;
const SHORTEST_NAME = 8;

/** @param {number} width */
const clamp = (width) => Math.round(Math.min(MOST, innerWidth / 2, Math.max(LEAST, width)));

const current = () => document.getElementById("rail")?.offsetWidth ?? DEFAULT;

const shownWidth = signal(DEFAULT);
effect(() => {
  const values = Math.max(0, chosenValues.value.length - 1) * VALUE;
  roomInList.value = Math.max(SHORTEST_NAME, Math.floor((shownWidth.value - BESIDE_NAMES - values) / LETTER));
});

/** @param {number} width */
function apply(width) {
  document.documentElement.style.setProperty("--rail-width", `${width}px`);
  shownWidth.value = width;
}

/** @param {number} width */
function setWidth(width) {
  apply(clamp(width));
  try {
    if (width === DEFAULT) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, String(clamp(width)));
  } catch {
    // Without storage, the width is that of this page only.
  }
}

/** Applies the remembered width. */
export function restoreRailWidth() {
  try {
    const width = Number(localStorage.getItem(KEY));
    if (width > 0) apply(clamp(width));
  } catch {
    // The default applies.
  }
}

export const railHandle = () => html`<div class="rail-handle" role="separator" tabindex="0" aria-orientation="vertical"
  aria-label=${t("rail.width")} aria-valuemin=${LEAST} aria-valuemax=${MOST} aria-valuenow=${current()}
  title=${t("rail.width_hint")} @pointerdown=${grabbed} @dblclick=${() => setWidth(DEFAULT)} @keydown=${pressed}></div>`;

/** @param {PointerEvent} event */
function grabbed(event) {
  const handle = /** @type {HTMLElement} */ (event.currentTarget);
  const offset = current() - event.clientX;
  handle.setPointerCapture(event.pointerId);
  const moved = (/** @type {PointerEvent} */ { clientX }) => setWidth(clientX + offset);
  handle.addEventListener("pointermove", moved);
  handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", moved), { once: true });
  event.preventDefault();
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
  if (event.key === "Home") setWidth(DEFAULT);
  else if (by) setWidth(current() + by);
  else return;
  /** @type {HTMLElement} */ (event.currentTarget).ariaValueNow = String(current());
  event.preventDefault();
  event.stopPropagation();
}
