// The lines between two neighbouring axes: drawn while they are in sight, a few strips a frame.

import { computed, effect } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { rgbOf } from "../../charts/rgb.js";
import { tokens } from "../../charts/theme.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { theme } from "../../data/view.js";
import { axes, frame, spacing } from "./axes.js";
import { StripPainter } from "./draw/strip_lines.js";
import { liveRows, visibleRows } from "./rows.js";
import { lineInks } from "./run_colours.js";

/** The colours of the lines as numbers. */
const inks = computed(() => ({ of: lineInks.value.of, rgb: lineInks.value.css.map(rgbOf) }));

class LineageStrip extends LazyCard {
  /** Its place among the strips. */
  place = 0;
  #canvas = document.createElement("canvas");
  #painter = new StripPainter();

  connectedCallback() {
    super.connectedCallback();
    if (!this.firstChild) this.append(this.#canvas);
  }

  /** @returns {Array<() => void>} */
  begin() {
    const draw = () => this.#draw();
    const end = effect(() => {
      [axes.value, frame.value, spacing.value, visibleRows.value, liveRows.value, inks.value, theme.value];
      scheduleDraw(draw);
    });
    return [end, () => cancelDraw(draw)];
  }

  #draw() {
    const [left, right] = axes.peek().slice(this.place, this.place + 2);
    if (!left || !right) return;
    const { surface, label } = tokens();
    const kept = liveRows.peek();
    this.#painter.draw(this.#canvas, {
      left: left.places,
      right: right.places,
      width: spacing.peek(),
      frame: frame.peek(),
      rows: visibleRows.peek(),
      kept,
      inks: inks.peek(),
      ground: surface,
      faint: label,
    });
    this.dataset.drawnRuns = String(kept.length);
  }
}

customElements.define("lineage-strip", LineageStrip);
