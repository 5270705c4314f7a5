// The keys "[" and "]": they move the open viewer, a hovered card that has its own step, or the page.

/** @typedef {import("./page_step.js").PageStep} PageStep */
/** @typedef {import("./stepped_card.js").SteppedCard<any>} SteppedCard */

/** @param {string} viewer @param {string} card names of elements @param {PageStep} page @param {number} by */
export const stepper = (viewer, card, page, by) => () => {
  const large = /** @type {SteppedCard | null} */ (viewer ? document.querySelector(viewer) : null);
  const pointed = /** @type {SteppedCard | null} */ (
    document.querySelector(`${card}:hover`) ?? document.querySelector(`${card}:focus-within`)
  );
  if (large) large.move(by);
  else if (pointed && page.own(pointed.tag) !== null) pointed.move(by);
  else page.move(by);
};
