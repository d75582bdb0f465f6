import { expect, test } from "vitest";
import { type Part, PartCutter, partLimits } from "./part-cutter.js";

const megabyte = 1024 * 1024;

/** A file of a head and fragments, each [seconds at which it begins, bytes]. */
function cut(fragments: readonly (readonly [number, number])[], endSeconds: number) {
  const parts: Part[] = [];
  const cutter = new PartCutter((part) => parts.push(part));
  cutter.write(new Uint8Array(100).fill(255));
  for (const [number, [seconds, bytes]] of fragments.entries()) {
    cutter.fragment(seconds * 1000);
    // In two pieces, as a fragment's head and its data are.
    cutter.write(new Uint8Array(bytes / 2).fill(number));
    cutter.write(new Uint8Array(bytes / 2).fill(number));
  }
  cutter.end(endSeconds * 1000);
  return parts;
}

const shape = (parts: readonly Part[]) =>
  parts.map(({ startsMs, endsMs, offset, bytes }) => [startsMs, endsMs, offset, bytes.length]);

test("a part is closed after ten seconds, between two fragments", () => {
  const parts = cut(
    [0, 2, 4, 6, 8, 10, 12, 14].map((seconds) => [seconds, 1000]),
    15.5,
  );
  expect(shape(parts)).toEqual([
    [0, 10_000, 0, 5100],
    [10_000, 15_500, 5100, 3000],
  ]);
  expect([parts[0]?.bytes[0], parts[0]?.bytes[100], parts[1]?.bytes[0]]).toEqual([255, 0, 5]);
});

test("a part is closed before it is larger than eight megabytes", () => {
  const fragments = [0, 1, 2, 3, 4].map((seconds) => [seconds, 3 * megabyte] as const);
  const parts = cut(fragments, 5);
  expect(parts.map(({ bytes }) => Math.floor(bytes.length / megabyte))).toEqual([6, 6, 3]);
  expect(parts.every(({ bytes }) => bytes.length <= partLimits.bytes)).toBe(true);
});

test("the parts in their order are the file", () => {
  const parts = cut(
    [
      [0, 10],
      [11, 20],
      [22, 30],
    ],
    30,
  );
  const file = parts.flatMap(({ bytes }) => [...bytes]);
  const numbers = [0, 1, 2].flatMap((number) => Array<number>((number + 1) * 10).fill(number));
  expect(file).toEqual([...Array<number>(100).fill(255), ...numbers]);
  expect(parts.map(({ offset }) => offset)).toEqual([0, 110, 130]);
});

test("a part does not change when the writer reuses its buffer", () => {
  const parts: Part[] = [];
  const cutter = new PartCutter((part) => parts.push(part));
  const piece = new Uint8Array([1, 2, 3]);
  cutter.write(piece);
  piece.fill(9);
  cutter.end(1000);
  expect(parts[0]?.bytes).toEqual(new Uint8Array([1, 2, 3]));
});

test("an empty file has no parts", () => {
  const parts: Part[] = [];
  new PartCutter((part) => parts.push(part)).end(0);
  expect(parts).toEqual([]);
});
