// Moving a card by its head to the place of another one of its group.

import { pins, placePin } from "../../data/scalar_view.js";
import { moveCard } from "./model/card_order.js";

/** The card that is being moved. @type {HTMLElement | null} */
let moving = null;

/** @param {EventTarget | null} target */
const cardOf = (target) =>
  target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("scalar-card")) : null;

/** Lets cards be moved until the returned function is called. */
export function followMoves() {
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

/** Cards of one group, or pinned ones, change places; another place takes nothing.
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
  putAt(moving, card);
  endMove();
}

/** Moves a card by one place, for those who have no pointer.
 * @param {HTMLElement} card @param {-1 | 1} by */
export function moveBy(card, by) {
  const other = neighbour(card, by);
  if (other) putAt(card, other);
}

/** @param {HTMLElement} card @param {-1 | 1} by */
export const neighbour = (card, by) =>
  /** @type {HTMLElement | null} */ (by < 0 ? card.previousElementSibling : card.nextElementSibling);

/** @param {HTMLElement} card @param {HTMLElement} other */
function putAt(card, other) {
  const [tag = "", place = ""] = [card.dataset.tag, other.dataset.tag];
  if (pins.peek().includes(tag)) return placePin(tag, place);
  moveCard(
    [...(card.parentElement?.children ?? [])].flatMap((one) => /** @type {HTMLElement} */ (one).dataset.tag ?? []),
    tag,
    place,
  );
}
