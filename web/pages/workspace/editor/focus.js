// The focus goes to the editor when it opens, to what a panel shows first, and back to where it was when it closes; what is edited is in view.

import { effect } from "@preact/signals-core";
import { narrow } from "../../../data/view/view.js";
import { editing } from "../state.js";

/** Follows the editor until the returned function is called. */
export function followFocus() {
  /** @type {Element | null} */
  let before = null;
  let isOpen = false;
  return effect(() => {
    const opens = editing.value !== null;
    if (opens) {
      if (!isOpen) before = document.activeElement;
      requestAnimationFrame(focusEditor);
    } else if (isOpen && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    isOpen = opens;
  });
}

function focusEditor() {
  const edited = document.querySelector('.panel[data-edited="true"]');
  edited?.scrollIntoView({ block: narrow.peek() ? "start" : "nearest" });
  const [field] = [".ws-own", ".ws-editor"].flatMap(
    (part) => document.querySelector(`${part} :is(input, textarea, select)`) ?? [],
  );
  if (field instanceof HTMLElement && !document.activeElement?.closest(".ws-editor"))
    field.focus({ preventScroll: true });
}
