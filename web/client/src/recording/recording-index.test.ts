import { expect, test } from "vitest";
import { decodeIndex, encodeIndex } from "./recording-index.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

test("an index has the documented format", () => {
  const text = new TextDecoder().decode(
    encodeIndex([
      [0, 0],
      [10_000, 812_345],
    ]),
  );
  expect(text).toBe('{"version":1,"parts":[[0,0],[10000,812345]]}');
  expect(decodeIndex(utf8(text))?.parts).toEqual([
    [0, 0],
    [10_000, 812_345],
  ]);
});

test("anything else is not an index", () => {
  for (const text of ["", "null", "[]", '{"version":2,"parts":[]}', '{"version":1}']) {
    expect(decodeIndex(utf8(text))).toBeNull();
  }
  expect(decodeIndex(utf8('{"version":1,"parts":[[0]]}'))).toBeNull();
  expect(decodeIndex(utf8('{"version":1,"parts":[[0,"1"]]}'))).toBeNull();
});
