// Puts the page together as one file that needs no server: index.html with its styles and script in it.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** Returns the document. Its data are written into the element "snapshot-data".
 * @param {string} scriptPath @param {string} stylePath */
export async function snapshotPage(scriptPath, stylePath) {
  const [page, mark, script, style] = await Promise.all(
    ["index.html", "mark.svg", scriptPath, stylePath].map((path) => readFile(path, "utf8")),
  );
  const code = `\n${withoutMap(script).replaceAll("</script", "<\\/script")}\n`;
  const policy = [
    "default-src 'none'",
    // Workers and libraries are scripts in the data, from which the script makes blobs.
    `script-src 'sha256-${createHash("sha256").update(code).digest("base64")}' blob:`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "media-src data: blob:",
    "connect-src blob:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const icon = `data:image/svg+xml;base64,${Buffer.from(mark).toString("base64")}`;
  return page
    .replace(/ *<script .*?<\/script>\n| *<link rel="modulepreload".*?>\n/g, "")
    .replace(
      '<meta charset="utf-8">',
      (meta) => `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
    )
    .replace('href="./mark.svg"', () => `href="${icon}"`)
    .replace(
      /<link rel="stylesheet".*?>/,
      () => `<style>${withoutMap(style).replaceAll("</style", "<\\/style")}</style>`,
    )
    .replace(
      "</body>",
      () =>
        `  <script type="text/plain" id="snapshot-data"></script>\n    <script type="module">${code}</script>\n  </body>`,
    );
}

/** @param {string} text */
const withoutMap = (text) => text.replace(/\n?(\/\/|\/\*)# sourceMappingURL=.*$/m, "").trimEnd();
