import assert from "node:assert/strict";
import { test } from "node:test";
import { firstScopes } from "./first_scopes.js";

const scope = (/** @type {string} */ name, /** @type {number} */ nodes) => ({ name, kind: "scope", nodes });

test("a small graph in one or two scopes is shown with these expanded", () => {
  assert.deepEqual(firstScopes({ total: 2, children: [scope("Network", 11), scope("Loss", 3)] }), ["Network", "Loss"]);
  assert.deepEqual(firstScopes({ total: 2, children: [scope("a", 5), { name: "x", kind: "operator", nodes: 1 }] }), [
    "a",
  ]);
});

test("of larger graphs, and of those with several boxes, none is expanded", () => {
  assert.deepEqual(firstScopes({ total: 2, children: [scope("Network", 110), scope("Loss", 300)] }), []);
  assert.deepEqual(firstScopes({ total: 3, children: [scope("a", 2), scope("b", 2), scope("c", 2)] }), []);
  assert.deepEqual(firstScopes({ total: 0, children: [] }), []);
});

test("of a model between its inputs and outputs, the model is expanded", () => {
  const children = [scope("input", 1), scope("ResNet", 305), scope("output", 1)];
  assert.deepEqual(firstScopes({ total: 3, children }), ["ResNet"]);
  assert.deepEqual(firstScopes({ total: 900, children }), []);
});
