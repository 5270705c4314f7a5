// Touches on a chart: a tap or a sideways drag points, two fingers zoom x. A vertical drag scrolls the page.

/** Places across the chart, from 0 to 1. @typedef {readonly [first: number, second: number]} Places */
/** @typedef {object} TouchListener
 * @property {(at: {left: number, top: number} | null) => void} pointed in pixels of the element; null = elsewhere
 * @property {(from: Places, to: Places) => void} pinched two fingers moved since they were put down
 * @property {() => void} released one of them was lifted */

/** Fingers that are nearer to each other do not zoom. */
const NEAREST = 0.04;

/** @param {HTMLElement} element @param {TouchListener} listener */
export function followTouches(element, { pointed, pinched, released }) {
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map();
  /** Where two fingers were put down. @type {Places | null} */
  let start = null;
  const isTouch = (/** @type {PointerEvent} */ { pointerType }) => pointerType === "touch";
  const point = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const { left, top } = element.getBoundingClientRect();
    pointed({ left: clientX - left, top: clientY - top });
  };
  const places = () => {
    const { left, width } = element.getBoundingClientRect();
    const [first, second] = [...fingers.values()].map(({ clientX }) => (clientX - left) / width);
    return /** @type {Places} */ ([first, second]);
  };
  const elsewhere = (/** @type {PointerEvent} */ { target }) => {
    if (target instanceof Node && element.contains(target)) return;
    removeEventListener("pointerdown", elsewhere, true);
    pointed(null);
  };
  element.addEventListener("pointerdown", (event) => {
    if (!isTouch(event)) return;
    fingers.set(event.pointerId, event);
    addEventListener("pointerdown", elsewhere, true);
    if (fingers.size === 2) start = places();
    else point(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) point(event);
    else if (start) pinched(start, places());
  });
  const lift = (/** @type {PointerEvent} */ event) => {
    if (!fingers.delete(event.pointerId) || !start) return;
    start = null;
    released();
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", (event) => {
    if (fingers.size === 1 && fingers.has(event.pointerId)) pointed(null); // The page scrolls.
    lift(event);
  });
  // Without the mouse events that follow a touch, what it points at stays.
  element.addEventListener("touchend", (event) => event.cancelable && event.preventDefault());
}

/** The window in which what was under two fingers is under them again; null if they are too near.
 * @param {readonly [number, number]} window @param {boolean} log @param {Places} from @param {Places} to
 * @returns {[number, number] | null} */
export function pinchedWindow([lo, hi], log, from, to) {
  const moved = to[1] - to[0];
  if (Math.abs(from[1] - from[0]) < NEAREST || Math.abs(moved) < NEAREST || moved * (from[1] - from[0]) < 0)
    return null;
  const span = (from[1] - from[0]) / moved;
  const first = from[0] - to[0] * span;
  const at = (/** @type {number} */ share) => (log ? lo * (hi / lo) ** share : lo + share * (hi - lo));
  return [at(first), at(first + span)];
}
