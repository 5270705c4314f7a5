// Reordering cards of a section by dragging their headers.

import { pins, placePin } from "../../data/series/scalar_view.js";
import { pinned } from "./card_slots.js";
import { moveCard } from "./model/card_order.js";

/** The card being dragged. @type {HTMLElement | null} */
let moving = null;

/** @param {EventTarget | null} target */
const cardOf = (target) =>
  target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("scalar-card")) : null;

/** Handles drags until the returned function is called. */
export function followDrags() {
  const content = /** @type {HTMLElement} */ (document.getElementById("content"));
  const listeners = /** @type {const} */ ([
    ["dragstart", startMove],
    ["dragend", endMove],
    ["dragover", overCard],
    ["dragleave", leftCard],
    ["drop", dropOnCard],
  ]);
  for (const [name, listener] of listeners) content.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of listeners) content.removeEventListener(name, listener);
  };
}

/** @param {DragEvent} event */
function startMove(event) {
  moving = cardOf(event.target);
  event.dataTransfer?.setData("text/plain", moving?.dataset.tag ?? "");
  moving?.classList.add("moving");
}

function endMove() {
  moving?.classList.remove("moving");
  for (const card of document.querySelectorAll("scalar-card.taking")) card.classList.remove("taking");
  moving = null;
}

/** Returns the card to drop on: only cards of the same section can change places.
 * @param {DragEvent} event */
function target(event) {
  const card = cardOf(event.target);
  return moving && card && card !== moving && card.closest(".group") === moving.closest(".group") ? card : null;
}

/** @param {DragEvent} event */
function overCard(event) {
  const card = target(event);
  if (!card) return;
  event.preventDefault();
  card.classList.add("taking");
}

/** @param {DragEvent} event */
const leftCard = (event) => cardOf(event.target)?.classList.remove("taking");

/** @param {DragEvent} event */
function dropOnCard(event) {
  const card = target(event);
  if (!card || !moving) return;
  event.preventDefault();
  moveTo(moving, card.dataset.tag ?? "");
  endMove();
}

/** Moves a card by one place.
 * @param {HTMLElement} card @param {-1 | 1} by */
export function moveBy(card, by) {
  const other = neighbour(card, by);
  if (other !== undefined) moveTo(card, other);
}

/** The tag before or after that of a card in its section, or among the pinned ones.
 * @param {HTMLElement} card @param {-1 | 1} by @returns {string | undefined} */
export function neighbour(card, by) {
  const tags = tagsAround(card);
  return tags[tags.indexOf(card.dataset.tag ?? "") + by];
}

/** @param {HTMLElement} card */
function tagsAround(card) {
  const block = /** @type {import("../../controls/card_block.js").CardBlock | null} */ (card.closest("card-block"));
  return block ? block.sectionTags : pinned.peek();
}

/** @param {HTMLElement} card @param {string} place the tag whose place it takes */
function moveTo(card, place) {
  const { tag = "" } = card.dataset;
  if (pins.peek().includes(tag)) placePin(tag, place);
  else moveCard(tagsAround(card), tag, place);
}
