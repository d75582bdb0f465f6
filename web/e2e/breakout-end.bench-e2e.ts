import { type ChildProcess, spawn } from "node:child_process";
import { loadavg } from "node:os";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { isIn, openBreakouts } from "./breakout-rooms";
import { openBrowser, Person } from "./people";
import { ServiceUnderTest } from "./service";

const tries = Number(process.env["TRIES"] ?? 8);

/** Whether everybody is muted: sound takes a third of what four browsers ask of the processors. */
const isMuted = process.env["MUTED"] !== undefined;

/** How many programs keep one processor each busy in the tests on a loaded machine. */
const load = 2;

/** A small window, because its drawing is not measured. */
const viewport = { width: 800, height: 500 };

/** The steps of a device from one media room to another. */
const moveSteps = [
  ...["token asked", "token", "gate asked", "gate open", "join response", "ICE connected"],
  ...["DTLS connected", "connected", "entered", "key set", "first packet", "key frame there"],
  ...["key frame opened", "decoded", "drawn", "all pictures"],
] as const;

type Steps = Partial<Record<(typeof moveSteps)[number], number>>;

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Milliseconds from now until a picture of each of the others is shown, in their order. */
function untilShown(person: Person, others: readonly Person[]): Promise<number[]> {
  return person.page.evaluate(
    async (names) => {
      const began = performance.now();
      const isShown = (name: string) => {
        const video = document.querySelector<HTMLVideoElement>(`[aria-label="${name}"] video`);
        return (video?.getVideoPlaybackQuality().totalVideoFrames ?? 0) > 0;
      };
      const until = async (name: string) => {
        while (!isShown(name)) await new Promise((resolve) => setTimeout(resolve, 5));
        return performance.now() - began;
      };
      return Promise.all(names.map(until));
    },
    others.map(({ name }) => name),
  );
}

for (const [state, busy] of [
  ["quiet", 0],
  ["loaded", load],
] as const) {
  test(
    `from closing the rooms to everybody seeing everybody, ${state}`,
    async () => {
      const room = await service.makeRoom();
      const names = ["Ada", "Bob", "Cleo", "Dora"];
      const join = (name: string) =>
        Person.in(browser, name, room.url, { prepare: traceArrival, viewport });
      const people = await Promise.all(names.map(join));
      const othersOf = (person: Person) => people.filter((other) => other !== person);
      await Promise.all(people.map((person) => untilShown(person, othersOf(person))));
      if (isMuted) await Promise.all(people.map((person) => person.control("Mute").click()));
      const loops: ChildProcess[] = [];
      for (let count = 0; count < busy; count++) {
        loops.push(spawn(process.execPath, ["-e", "for (;;);"]));
      }
      const whole: number[] = [];
      const taken: Steps[] = [];
      try {
        for (let round = 0; round < tries; round++) {
          await openBreakouts(service, room, { Ada: 0, Bob: 0, Cleo: 1, Dora: 1 });
          await Promise.all(people.map((one, at) => isIn(one, at < 2 ? "Room 1" : "Room 2")));
          for (const [one, other] of [
            [0, 1],
            [2, 3],
          ] as const) {
            const [here, there] = [people[one], people[other]];
            if (here && there) {
              await Promise.all([untilShown(here, [there]), untilShown(there, [here])]);
            }
          }
          // Wait until the two from the other room are gone, so that their next picture is new.
          await expect
            .poll(() => Promise.all(people.map((person) => person.page.locator("video").count())), {
              timeout: 60_000,
            })
            .toEqual(people.map(() => 2));
          const [began, moment] = [performance.now(), Date.now()];
          await service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: false });
          const shown = people.map(async (person) => {
            await person.page
              .getByRole("banner")
              .getByText(/^Room \d$/)
              .waitFor({
                state: "detached",
                timeout: 60_000,
              });
            const inMain = performance.now() - began;
            const pictures = await untilShown(person, othersOf(person));
            const all = inMain + Math.max(...pictures);
            const steps = firsts(await notesSince(person.page, moment));
            taken.push({ ...steps, entered: inMain, "all pictures": all });
            return { inMain, all };
          });
          const times = await Promise.all(shown);
          whole.push(Math.max(...times.map(({ all }) => all)));
          const told = times.map(({ inMain, all }) => `${inMain.toFixed(0)}/${all.toFixed(0)}`);
          process.stdout.write(
            `closing the rooms, ${state}, try ${round + 1}: in the main room/sees all after ` +
              `${told.join(" ")} ms, load average ${loadavg()[0]?.toFixed(1)}\n`,
          );
        }
      } finally {
        for (const loop of loops) loop.kill();
      }
      const sorted = [...whole].sort((a, b) => a - b);
      process.stdout.write(
        `closing the rooms, ${state}, ${people.length} people, ${tries} tries: everybody sees everybody after ` +
          `${sorted.map((time) => time.toFixed(0)).join(" ")} ms\n`,
      );
      for (const step of moveSteps) {
        const times = taken.flatMap(({ [step]: at }) => at ?? []).sort((a, b) => a - b);
        process.stdout.write(
          `  ${step}: half after ${times[Math.floor(times.length / 2)]?.toFixed(0)} ms, ` +
            `the last after ${times.at(-1)?.toFixed(0)} ms\n`,
        );
      }
      expect(whole.every(Number.isFinite)).toBe(true);
      await Promise.all(people.map((person) => person.close()));
    },
    tries * 60_000,
  );
}
