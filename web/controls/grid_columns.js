// How many cards fit side by side.

import { computed, signal } from "@preact/signals-core";
import { cardSize } from "../data/view/view.js";
import { balanced } from "./balanced_rows.js";

const GAP = 12;
/** Must be equal to the style sheet. */
const WIDTHS = { s: 240, m: 340, l: 560 };

const width = signal(0);

export const columns = computed(() => Math.max(1, Math.floor((width.value + GAP) / (WIDTHS[cardSize.value] + GAP))));

/** 0 before the width is measured: the style sheet decides then. */
const measured = computed(() => (width.value ? columns.value : 0));

/** How many of a group's cards are in a row; 1 before the width is measured.
 * @param {number} count */
export const cardsInRow = (count) => (count && measured.value ? balanced(count, measured.value) : 1);

/** The style of a group of cards: its number of cards, how many of them are in a row, and how many columns the last one
 * takes if the last row lacks cards.
 * @param {number} count */
export function groupStyle(count) {
  if (!count || !measured.value) return `--tags:${count}`;
  const row = balanced(count, measured.value);
  const last = row - ((count - 1) % row);
  return `--tags:${count};--row:${row}${last > 1 ? `;--last:${last}` : ""}`;
}

/** Follows the width of the page's content while the page is open.
 * @param {HTMLElement} content */
export function followWidth(content) {
  const observer = new ResizeObserver(() => {
    const { paddingLeft, paddingRight } = getComputedStyle(content);
    width.value = content.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  });
  observer.observe(content);
}
