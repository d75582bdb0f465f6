import { expect, test } from "vitest";
import { loadAgain } from "./load-again";

/** A load that fails so many times, and the pauses that were made. */
function failing(times: number) {
  const pauses: number[] = [];
  let tries = 0;
  const load = async () => {
    tries += 1;
    if (tries <= times) throw new Error(`lost ${tries}`);
    return "the part";
  };
  const wait = async (time: number) => void pauses.push(time);
  return { load: () => loadAgain(load, wait), pauses };
}

test("a part that loads is asked for once", async () => {
  const { load, pauses } = failing(0);
  expect(await load()).toBe("the part");
  expect(pauses).toEqual([]);
});

test("a part that is lost is asked for three more times, with longer pauses", async () => {
  const { load, pauses } = failing(3);
  expect(await load()).toBe("the part");
  expect(pauses).toEqual([300, 1000, 3000]);
});

test("the error of the last try is reported", async () => {
  const { load } = failing(4);
  await expect(load()).rejects.toThrow("lost 4");
});
