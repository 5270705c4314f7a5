// How many cards fit side by side.

import { computed, signal } from "@preact/signals-core";
import { cardSize } from "../data/view.js";

const GAP = 12;
/** Must be equal to the style sheet. */
const WIDTHS = { s: 240, m: 340, l: 560 };

const width = signal(0);

export const columns = computed(() => Math.max(1, Math.floor((width.value + GAP) / (WIDTHS[cardSize.value] + GAP))));

/** Follows the width of the page's content until the returned function is called. */
export function followWidth() {
  const content = /** @type {HTMLElement} */ (document.getElementById("content"));
  const observer = new ResizeObserver(() => {
    const { paddingLeft, paddingRight } = getComputedStyle(content);
    width.value = content.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  });
  observer.observe(content);
  return () => observer.disconnect();
}
