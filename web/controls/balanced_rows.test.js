import assert from "node:assert/strict";
import { test } from "node:test";
import { balanced } from "./balanced_rows.js";

test("cards need as few rows as if all that fit were in one, and as few gaps as that allows", () => {
  for (let most = 1; most <= 12; most++)
    for (let count = 1; count <= 60; count++) {
      const row = balanced(count, most);
      const rows = Math.ceil(count / most);
      assert.ok(row >= 1 && row <= most);
      assert.equal(Math.ceil(count / row), rows);
      assert.ok(row === 1 || Math.ceil(count / (row - 1)) > rows);
    }
});
