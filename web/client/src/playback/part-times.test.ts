import { describe, expect, test } from "vitest";
import { bufferedUntil, endOfGap, endOfHole, holesIn, PartTimes, surplus } from "./part-times.js";

describe("the part that holds a moment", () => {
  test("is the part that the index names", () => {
    const times = new PartTimes([0, 10, 20, 30]);
    expect([0, 9.5, 10, 19.95, 25, 300].map((time) => times.partAt(time))).toEqual([
      0, 0, 1, 2, 2, 3,
    ]);
  });

  test("is the first one until others were read, if there is no index", () => {
    const times = new PartTimes([]);
    expect(times.partAt(25)).toBe(0);
    times.ends(0, 10);
    times.ends(1, 20);
    expect([5, 12, 25].map((time) => times.partAt(time))).toEqual([0, 1, 2]);
  });

  test("is the last one of an index that ends early, then the ones after it", () => {
    const times = new PartTimes([0, 10]);
    expect(times.partAt(25)).toBe(1);
    times.ends(1, 20);
    expect(times.partAt(25)).toBe(2);
  });

  test("does not depend on an index that runs backwards", () => {
    expect(new PartTimes([0, 20, 10]).partAt(15)).toBe(0);
  });

  test("is learned only from parts that are known to exist", () => {
    const times = new PartTimes([]);
    times.ends(5, 60);
    expect(times.partAt(60)).toBe(0);
  });

  test("follows the file when the index is slightly wrong", () => {
    const times = new PartTimes([0, 10, 20]);
    times.ends(0, 9.7);
    expect(times.partAt(9.7)).toBe(1);
    times.ends(1, 12);
    expect(times.partAt(15)).toBe(1);
  });
});

test("the buffer reaches up to its first gap", () => {
  const ranges = [
    { start: 0, end: 10 },
    { start: 10.05, end: 20 },
    { start: 25, end: 30 },
  ];
  expect([0, 15, 22, 25, 40].map((time) => bufferedUntil(ranges, time))).toEqual([
    20, 20, 22, 30, 40,
  ]);
});

test("a small gap is skipped, and a large one is not", () => {
  const ranges = [
    { start: 0.3, end: 10 },
    { start: 12, end: 20 },
  ];
  expect([0, 5, 10.5, 11.6].map((time) => endOfGap(ranges, time))).toEqual([0.3, null, null, 12]);
});

test("ranges far from the current time are removed", () => {
  const ranges = [
    { start: 0, end: 100 },
    { start: 500, end: 600 },
  ];
  expect(surplus(ranges, 90)).toEqual([
    { start: 0, end: 60 },
    { start: 500, end: 600 },
  ]);
  expect(surplus(ranges, 20)).toEqual([{ start: 500, end: 600 }]);
  expect(surplus([{ start: 0, end: 100 }], 30)).toEqual([]);
});

describe("a hole of the recording", () => {
  const before = [{ start: 0, end: 10 }];

  test("is between stretches of one part, and between two parts of which one follows the other", () => {
    const after = [...before, { start: 15, end: 18 }, { start: 19, end: 20 }];
    const inPart = { start: 18, end: 19 };
    expect(holesIn(before, after, 10)).toEqual([{ start: 10, end: 15 }, inPart]);
    expect(holesIn(before, after, 5)).toEqual([inPart]);
    expect(holesIn([], after.slice(1), 12)).toEqual([{ start: 12, end: 15 }, inPart]);
  });

  test("is not where nothing was read, and not what the eye does not see", () => {
    const far = [...before, { start: 50, end: 60 }];
    expect(holesIn(before, far, 5)).toEqual([]);
    expect(
      holesIn(
        far,
        [
          { start: 0, end: 20 },
          { start: 50, end: 60 },
        ],
        10,
      ),
    ).toEqual([]);
    expect(holesIn(before, [...before, { start: 10.05, end: 20 }], 10)).toEqual([]);
  });

  test("is left at its end", () => {
    const holes = [{ start: 10, end: 15 }];
    const ends = [9, 9.95, 12, 15].map((time) => endOfHole(holes, time));
    expect(ends).toEqual([null, 15, 15, null]);
  });
});
