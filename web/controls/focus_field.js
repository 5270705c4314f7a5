// Puts the focus on a field, with what stands in it selected.

/** @param {string} id */
export const focusOn = (id) => () => {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
  field?.focus();
  field?.select?.();
};
