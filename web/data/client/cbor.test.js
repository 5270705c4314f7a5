import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCbor } from "./cbor.js";

/** @param {string} hex */
const decode = (hex) =>
  decodeCbor(new Uint8Array(hex.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? []).buffer);

test("examples of RFC 8949, appendix A, are decoded", () => {
  assert.equal(decode("00"), 0);
  assert.equal(decode("17"), 23);
  assert.equal(decode("1818"), 24);
  assert.equal(decode("1903e8"), 1000);
  assert.equal(decode("1a000f4240"), 1000000);
  assert.equal(decode("1b000000e8d4a51000"), 1000000000000);
  assert.equal(decode("3903e7"), -1000);
  assert.equal(decode("fb3ff199999999999a"), 1.1);
  assert.deepEqual([decode("f4"), decode("f5"), decode("f6")], [false, true, null]);
  assert.equal(decode("63e6b0b4"), "水");
  assert.equal(decode(`7829${"61".repeat(39)}c3bc`), `${"a".repeat(39)}ü`);
  assert.deepEqual(decode("8301820203820405"), [1, [2, 3], [4, 5]]);
  assert.deepEqual(decode("a26161016162820203"), { a: 1, b: [2, 3] });
});

test("typed arrays of RFC 8746 are decoded, aligned or not", () => {
  assert.deepEqual(decode("d84e4801000000feffffff"), Int32Array.of(1, -2));
  assert.deepEqual(decode("d84f480000000001000000"), BigInt64Array.of(2n ** 32n));
  assert.deepEqual(decode("82f6d855480000803f0000c07f"), [null, Float32Array.of(1, NaN)]);
  assert.deepEqual(decode("d85648000000000000f0ff"), Float64Array.of(-Infinity));
  assert.deepEqual(decode("d85640"), new Float64Array());
});

test("what the server does not send is refused", () => {
  for (const hex of ["df", "f7", "d84141ff", "d85661", "1f", ""]) assert.throws(() => decode(hex), RangeError);
});
