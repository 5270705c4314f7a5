// Parallel axes with a line for each run; that of the run under the cursor is above the others.

import { effect, signal } from "@preact/signals-core";
import { html, render } from "lit-html";
import { styleMap } from "lit-html/directives/style-map.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { LazyCard } from "../lazy_card.js";
import { heightAt, LEFT_MARGIN, pathOf, RIGHT_MARGIN, rowAt } from "./parallel_axes.js";
import { followPointer } from "./pointed_run.js";
import { ticksOf } from "./scale.js";
import "./axes_strip.js";

/** @typedef {import("./parallel_axes.js").Axes} Axes */
/** @typedef {import("./parallel_axes.js").Frame} Frame */

/** The cursor points at a line within so many pixels. */
const HIT_DISTANCE = 8;
/** The height of a label, in pixels. */
const LABEL_HEIGHT = 17;

/** Scrolls where the axes have too little room. @param {string} label of all @param {Axes} axes
 * @param {unknown} drawn each with the class "axis" and its `axisStyle` */
export function runAxes(label, axes, drawn) {
  const width = axes.spacing * Math.max(0, axes.scales.length - 1);
  return html`<div class="axes-scroll" role="region" tabindex="0" aria-label=${label}>
    <div class="axes-plot" style=${styleMap({ width: `${LEFT_MARGIN + width + RIGHT_MARGIN}px` })}>
      <run-lines .axes=${axes}
        style=${styleMap({ left: `${LEFT_MARGIN}px`, width: `${width}px`, height: `${axes.frame.height}px` })}></run-lines>
      ${drawn}
    </div>
  </div>`;
}

/** @param {number} spacing @param {number} at the place among the axes */
export const axisStyle = (spacing, at) =>
  styleMap({ left: `${LEFT_MARGIN + at * spacing}px`, "--spacing": `${spacing}px` });

/** @param {Frame} frame */
export const axisLine = ({ top, bottom }) =>
  html`<i class="axis-line" style=${styleMap({ top: `${top}px`, height: `${bottom - top}px` })}></i>`;

/** @param {import("./scale.js").Scale} scale @param {Frame} frame */
export const axisTicks = (scale, { top, bottom }) =>
  ticksOf(scale, {
    length: bottom - top,
    isVertical: true,
    space: scale.kind === "category" ? LABEL_HEIGHT : 2 * LABEL_HEIGHT,
  });

/** @param {import("./scale.js").Tick} tick @param {Frame} frame */
export const tickLabel = ({ place, text }, frame) =>
  html`<span class="tick" style=${styleMap({ top: `${heightAt(place, frame)}px` })}>${text}</span>`;

class RunLines extends LazyCard {
  #axes = signal(/** @type {Axes | null} */ (null));

  /** @param {Axes} axes */
  set axes(axes) {
    this.#axes.value = axes;
  }

  begin() {
    return [
      effect(() => {
        if (this.#axes.value) render(lines(this.#axes.value), this);
      }),
      effect(() => this.#highlight(hoveredRun.value, this.#axes.value)),
      followPointer(this, (x, y) => {
        const axes = this.#axes.peek();
        return axes?.runs[rowAt(axes, x, y, HIT_DISTANCE) ?? -1];
      }),
    ];
  }

  /** @param {string | null} run @param {Axes | null} axes */
  #highlight(run, axes) {
    const row = run === null || !axes ? -1 : axes.runs.indexOf(run);
    const path = row < 0 || !axes ? "" : pathOf(axes, row);
    for (const line of this.querySelectorAll("path")) line.setAttribute("d", path);
    this.dataset.pointed = row < 0 ? "" : String(run);
  }
}

/** Strips between neighbouring axes, reused by position when the axes change. @param {Axes} axes */
const lines = (axes) => html`
  ${axes.scales.slice(1).map(
    (_, at) =>
      html`<axes-strip .place=${at} .axes=${axes}
        style=${styleMap({ left: `${at * axes.spacing}px`, width: `${axes.spacing}px` })}></axes-strip>`,
  )}
  <svg class="pointed-line" aria-hidden="true"><path/><path/></svg>`;

customElements.define("run-lines", RunLines);
