import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { test } from "node:test";
import * as shared from "./shared_words.js";

/** @type {Map<string, {en: Record<string, string>, zh: Record<string, string>}>} */
const catalogues = new Map([["shared", shared]]);
for await (const path of glob("{app,app/*,controls/*,pages/*}/words.js", { cwd: new URL("..", import.meta.url) })) {
  catalogues.set(path, await import(new URL(`../${path}`, import.meta.url).href));
}

const placeholders = (/** @type {string} */ text) => new Set(text.match(/\{\w+\}/g));

test("every text exists in both languages, with the same placeholders", () => {
  assert.ok(catalogues.size > 10); // They are found.
  for (const [path, { en, zh }] of catalogues) {
    assert.deepEqual(Object.keys(zh), Object.keys(en), path);
    for (const [key, text] of Object.entries(en)) {
      assert.deepEqual(placeholders(zh[key]), placeholders(text), `${path}: ${key}`);
      assert.ok(zh[key].trim(), `${path}: ${key}`);
    }
  }
});

test("no page repeats a shared key", () => {
  for (const [path, { en }] of catalogues) {
    if (path !== "shared")
      for (const key of Object.keys(en)) assert.ok(!Object.hasOwn(shared.en, key), `${path}: ${key}`);
  }
});
