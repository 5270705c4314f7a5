// A panel of Markdown.

import { effect } from "@preact/signals-core";
import { html, render } from "lit-html";
import { formatted } from "../../../controls/markdown/text_body.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";

class MarkdownPanel extends PanelElement {
  begin() {
    return [
      effect(() => {
        const { text } = this.settings.value;
        render(
          typeof text === "string" && text
            ? html`<div class="text-body" tabindex="0">${formatted(text)}</div>`
            : html`<div class="state">${t("ws.no_text")}</div>`,
          this,
        );
      }),
    ];
  }
}

customElements.define("markdown-panel", MarkdownPanel);
