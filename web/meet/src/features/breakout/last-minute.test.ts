import { expect, test } from "vitest";
import { isReadOut } from "./last-minute";

/** Of these seconds, counted one after the other, those at which the time is read out. */
function readOutOf(counted: readonly (number | null)[]): readonly (number | null)[] {
  return counted.filter((now, index) => isReadOut(counted[index - 1] ?? null, now));
}

const down = (from: number) => Array.from({ length: from + 1 }, (_, index) => from - index);

test("the time until the rooms close is read out as the last minute begins, and twice more", () => {
  expect(readOutOf([null, ...down(75)])).toEqual([60, 30, 10]);
  expect(readOutOf([null, ...down(60)])).toEqual([60, 30, 10]);
});

test("it is read out to those who come, or hear of it, within the last minute", () => {
  expect(readOutOf(down(58))).toEqual([58, 30, 10]);
  expect(readOutOf(down(9))).toEqual([9]);
});

test("a page that was asleep reads out once what it missed", () => {
  expect(readOutOf([70, 61, 29, 28, 8, 7])).toEqual([29, 8]);
});

test("nothing is read out while the rooms stay open", () => {
  expect(readOutOf([null, null])).toEqual([]);
  expect(readOutOf(down(300).slice(0, 200))).toEqual([]);
});
