// Modal dialogs: drawn while they are open, closed by Escape.

import { effect } from "@preact/signals-core";
import { render } from "lit-html";

/** Opens a dialog that follows the signals its content reads. Returns the function that closes it.
 * @param {{label: () => string, name: string, closed?: () => void}} dialog
 * @param {(close: () => void) => unknown} content */
export function openDialog({ label, name, closed }, content) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.dataset.dialog = name;
  const close = () => dialog.close();
  const end = effect(() => {
    dialog.setAttribute("aria-label", label());
    render(content(close), dialog);
  });
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // No shortcuts of the page behind it.
  dialog.addEventListener("close", () => {
    end();
    dialog.remove();
    closed?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  return close;
}
