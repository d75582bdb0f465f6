import { type ChildProcess, spawn } from "node:child_process";
import { loadavg } from "node:os";
import { expect, test } from "vitest";
import { Scene } from "./arrival-scene";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { roundTrips } from "./bench-settings";
import { isIn, openBreakouts } from "./breakout-rooms";
import { Person } from "./people";
import type { Room, ServiceUnderTest } from "./service";

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

/** Opens two rooms of two people each, and waits until everybody sees only their partner. */
async function part(service: ServiceUnderTest, room: Room, people: readonly Person[]) {
  await openBreakouts(service, room, { Ada: 0, Bob: 0, Cleo: 1, Dora: 1 });
  await Promise.all(people.map((one, at) => isIn(one, at < 2 ? "Room 1" : "Room 2")));
  for (const [one, other] of [
    [0, 1],
    [2, 3],
  ] as const) {
    const [here, there] = [people[one], people[other]];
    if (here && there) await Promise.all([untilShown(here, [there]), untilShown(there, [here])]);
  }
  // Wait until the two from the other room are gone, so that their next picture is new.
  await expect
    .poll(() => Promise.all(people.map((person) => person.page.locator("video").count())), {
      timeout: 60_000,
    })
    .toEqual(people.map(() => 2));
}

/** Closes the rooms, and measures until each person is in the main room and sees all others. */
async function end(service: ServiceUnderTest, room: Room, people: readonly Person[]) {
  const [began, moment] = [performance.now(), Date.now()];
  await service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: false });
  return Promise.all(
    people.map(async (person) => {
      await person.page
        .getByRole("banner")
        .getByText(/^Room \d$/)
        .waitFor({ state: "detached", timeout: 60_000 });
      const inMain = performance.now() - began;
      const others = people.filter((other) => other !== person);
      const all = inMain + Math.max(...(await untilShown(person, others)));
      const steps: Steps = firsts(await notesSince(person.page, moment));
      return { inMain, all, steps: { ...steps, entered: inMain, "all pictures": all } };
    }),
  );
}

function report(what: string, whole: readonly number[], taken: readonly Steps[]): void {
  const sorted = [...whole].sort((a, b) => a - b);
  process.stdout.write(
    `closing the rooms, ${what}, four people, ${tries} tries: everybody sees everybody after ` +
      `${sorted.map((time) => time.toFixed(0)).join(" ")} ms\n`,
  );
  for (const step of moveSteps) {
    const times = taken.flatMap(({ [step]: at }) => at ?? []).sort((a, b) => a - b);
    process.stdout.write(
      `  ${step}: half after ${times[Math.floor(times.length / 2)]?.toFixed(0)} ms, ` +
        `the last after ${times.at(-1)?.toFixed(0)} ms\n`,
    );
  }
}

async function measure({ browser, services }: Scene, what: string): Promise<void> {
  const [at] = services;
  if (!at) throw new Error("no service");
  const { service } = at;
  const room = await service.makeRoom();
  const url = `${at.url}${new URL(room.url).pathname}`;
  const people = await Promise.all(
    ["Ada", "Bob", "Cleo", "Dora"].map((name) =>
      Person.in(browser, name, url, { prepare: traceArrival, viewport }),
    ),
  );
  await Promise.all(
    people.map((person) =>
      untilShown(
        person,
        people.filter((other) => other !== person),
      ),
    ),
  );
  if (isMuted) await Promise.all(people.map((person) => person.control("Mute").click()));
  const whole: number[] = [];
  const taken: Steps[] = [];
  for (let round = 0; round < tries; round++) {
    await part(service, room, people);
    const times = await end(service, room, people);
    whole.push(Math.max(...times.map(({ all }) => all)));
    taken.push(...times.map(({ steps }) => steps));
    const told = times.map(({ inMain, all }) => `${inMain.toFixed(0)}/${all.toFixed(0)}`);
    process.stdout.write(
      `closing the rooms, ${what}, try ${round + 1}: in the main room/sees all after ` +
        `${told.join(" ")} ms, load average ${loadavg()[0]?.toFixed(1)}\n`,
    );
  }
  report(what, whole, taken);
  expect(whole.every(Number.isFinite)).toBe(true);
  await Promise.all(people.map((person) => person.close()));
}

/** With a distance, only its effect is measured, and not that of a busy machine. */
const cases = roundTrips.flatMap((roundTrip) =>
  (roundTrip === 0 ? [0, load] : [0]).map((busy) => ({ roundTrip, busy })),
);

for (const { roundTrip, busy } of cases) {
  const what = busy > 0 ? "loaded" : roundTrip > 0 ? `${roundTrip} ms away` : "quiet";
  test(
    `from closing the rooms to everybody seeing everybody, ${what}`,
    async () => {
      const loops: ChildProcess[] = [];
      const scene = await Scene.set(roundTrip, []);
      try {
        for (let count = 0; count < busy; count++) {
          loops.push(spawn(process.execPath, ["-e", "for (;;);"]));
        }
        await measure(scene, what);
      } finally {
        for (const loop of loops) loop.kill();
        await scene.strike();
      }
    },
    (tries + 1) * 60_000,
  );
}
