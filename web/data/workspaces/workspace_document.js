// The workspace document of the address, as a signal.

import { computed } from "@preact/signals-core";
import { set, setting } from "../view/view.js";
import { checkDocument, DocumentError } from "./workspace_check.js";

/** @typedef {import("./workspace_check.js").WorkspaceDocument} WorkspaceDocument */

/** @type {WorkspaceDocument} */
export const EMPTY_DOCUMENT = { version: 1, sections: [], settings: {} };

const text = setting("ws.doc", "");

/** The document that was written last: its sections and panels stay the same objects.
 * @type {{text: string, document: WorkspaceDocument}} */
let written = { text: "", document: EMPTY_DOCUMENT };

const parsed = computed(() => {
  if (text.value === written.text) return { document: written.document, error: "" };
  try {
    return { document: text.value ? checkDocument(JSON.parse(text.value)) : EMPTY_DOCUMENT, error: "" };
  } catch (error) {
    if (error instanceof DocumentError || error instanceof SyntaxError)
      return { document: EMPTY_DOCUMENT, error: error.message };
    throw error;
  }
});

/** The document of the address; the empty one if the address has none or an invalid one. */
export const workspaceDocument = computed(() => parsed.value.document);
/** Why the document of the address is invalid; "" if it is valid. */
export const documentError = computed(() => parsed.value.error);

/** @param {WorkspaceDocument} document */
export function changeDocument(document) {
  written = { text: JSON.stringify(document), document };
  set({ "ws.doc": written.text });
}
