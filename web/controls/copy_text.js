// Copies a text, also where the browser offers no clipboard: on origins that are not secure.

/** @param {string} text @returns {Promise<boolean>} was it copied? */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** @param {string} text */
function copySelected(text) {
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  field.style.position = "fixed";
  field.style.opacity = "0";
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return isCopied;
}
