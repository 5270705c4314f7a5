// Rules of the style sheets that would make each change of the page expensive.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const WEB = new URL("..", import.meta.url);

test("what :has() selects is named, else each inserted element makes Chromium compute all styles of the page again", () => {
  const found = readdirSync(WEB, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".css") && !/^(node_modules|built)\b/.test(path))
    .flatMap(
      (path) => readFileSync(new URL(path, WEB), "utf8").match(/^.*:has\(.*\)\s*[ >+~]\s*(?::not\(|\*).*$/gm) ?? [],
    );
  assert.deepEqual(found, []);
});
