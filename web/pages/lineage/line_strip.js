// The element with the lines between two neighbouring axes, drawn while visible, a few strips per frame.

import { computed, effect } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { rgbOf } from "../../charts/rgb.js";
import { tokens } from "../../charts/theme.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { StripPainter } from "../../controls/run_plots/strip_lines.js";
import { theme } from "../../data/view/view.js";
import { axes, axesFrame, axisSpacing } from "./axes.js";
import { lineColours } from "./run_colours.js";
import { liveRows, visibleRows } from "./state.js";

/** The colours of the lines as RGB. */
const colours = computed(() => ({ byRow: lineColours.value.byRow, rgb: lineColours.value.css.map(rgbOf) }));

class LineageStrip extends LazyCard {
  /** The position among the strips. */
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
      [axes.value, axesFrame.value, axisSpacing.value, visibleRows.value, liveRows.value, colours.value, theme.value];
      scheduleDraw(draw);
    });
    return [end, () => cancelDraw(draw)];
  }

  #draw() {
    const [left, right] = axes.peek().slice(this.place, this.place + 2);
    if (!left || !right) return;
    const { surface, faint } = tokens();
    const kept = liveRows.peek();
    this.#painter.draw(this.#canvas, {
      left: left.places,
      right: right.places,
      width: axisSpacing.peek(),
      frame: axesFrame.peek(),
      rows: visibleRows.peek(),
      kept,
      colours: colours.peek(),
      background: surface,
      faint,
    });
    this.dataset.drawnRuns = String(kept.length);
  }
}

customElements.define("lineage-strip", LineageStrip);
