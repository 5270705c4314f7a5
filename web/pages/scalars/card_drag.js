// Reordering cards of a group by dragging their headers.

import { pins, placePin } from "../../data/scalar_view.js";
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

/** Returns the card to drop on: only cards of the same group can change places.
 * @param {DragEvent} event */
function target(event) {
  const card = cardOf(event.target);
  return moving && card && card !== moving && card.parentElement === moving.parentElement ? card : null;
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
  moveTo(moving, card);
  endMove();
}

/** Moves a card by one place.
 * @param {HTMLElement} card @param {-1 | 1} by */
export function moveBy(card, by) {
  const other = neighbour(card, by);
  if (other) moveTo(card, other);
}

/** @param {HTMLElement} card @param {-1 | 1} by */
export const neighbour = (card, by) =>
  /** @type {HTMLElement | null} */ (by < 0 ? card.previousElementSibling : card.nextElementSibling);

/** @param {HTMLElement} card @param {HTMLElement} other */
function moveTo(card, other) {
  const [tag = "", place = ""] = [card.dataset.tag, other.dataset.tag];
  if (pins.peek().includes(tag)) return placePin(tag, place);
  moveCard(
    [...(card.parentElement?.children ?? [])].flatMap(
      (sibling) => /** @type {HTMLElement} */ (sibling).dataset.tag ?? [],
    ),
    tag,
    place,
  );
}
