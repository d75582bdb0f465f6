import { expect, test } from "vitest";
import type { MeetingEntry } from "./enter";
import { LaterCode, type LaterScreens } from "./later-code";

const entry = {} as MeetingEntry;
const screens = {} as LaterScreens;

/** Code whose first loads fail, so many of them. */
function failing(times: number) {
  let loads = 0;
  const later = new LaterCode(async () => {
    loads += 1;
    if (loads <= times) throw new Error(`lost ${loads}`);
    return { entry, screens };
  });
  return { later, loads: () => loads };
}

test("the code is loaded once, however often it is asked for", async () => {
  const { later, loads } = failing(0);
  expect(await Promise.all([later.entry(), later.entry()])).toEqual([entry, entry]);
  expect(await later.entry()).toBe(entry);
  expect(loads()).toBe(1);
});

test("the screens are there as soon as the way into meetings is", async () => {
  const { later } = failing(0);
  expect(later.screens.get()).toBeNull();
  await later.entry();
  expect(later.screens.get()).toBe(screens);
});

test("code that could not be loaded is loaded again when it is asked for again", async () => {
  const { later } = failing(1);
  await expect(later.entry()).rejects.toThrow("lost 1");
  expect(later.screens.get()).toBeNull();
  expect(await later.entry()).toBe(entry);
});
