// Focuses a field and selects its text.

/** @param {string} id */
export const focusOn = (id) => () => {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
  field?.focus();
  field?.select?.();
};
