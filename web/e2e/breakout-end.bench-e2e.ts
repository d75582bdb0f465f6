import { type ChildProcess, spawn } from "node:child_process";
import { loadavg } from "node:os";
import { expect, test } from "vitest";
import { besideLast, inTurns, type Times, timesOf } from "./arrival-report";
import { type Address, Scene } from "./arrival-scene";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { BarePerson } from "./bare-person";
import { binaries, isMuted, roundTrips } from "./bench-settings";
import { isIn, openBreakouts } from "./breakout-rooms";
import { type Contestant, contestants } from "./contestants";
import { Person } from "./people";
import { untilShown } from "./until-shown";

const tries = Number(process.env["TRIES"] ?? 8);

/** Four people stay together for so many tries. Then the next of those who take turns follow. */
const together = 4;

const names = ["Ada", "Bob", "Cleo", "Dora"];

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

/** Four people who come back to the main room from two rooms of two. */
interface Group {
  readonly people: readonly Person[];
  /** Puts the first two into one room, and the others into another. */
  readonly part: () => Promise<unknown>;
  /** Sends everybody to the main room. */
  readonly end: () => Promise<unknown>;
  /** Waits until a person, by their number, is in the main room. */
  readonly isBack: (at: number) => Promise<unknown>;
}

/** What was measured of those who take turns, in milliseconds. */
interface Measured extends Contestant<Group> {
  /** Of each try, until everybody saw everybody. */
  readonly whole: number[];
  /** Of each person in each try, until they saw everybody. */
  readonly each: number[];
  /** Of each person in each try. */
  readonly steps: Steps[];
}

/** Four people in our interface, whose rooms a request to the service closes. */
async function ours({ browser }: Scene, { service, url }: Address): Promise<Group> {
  const room = await service.makeRoom();
  const page = `${url}${new URL(room.url).pathname}`;
  const options = { prepare: traceArrival, viewport };
  const people = await Promise.all(names.map((name) => Person.in(browser, name, page, options)));
  await seeAll(people);
  if (isMuted) await Promise.all(people.map((person) => person.control("Mute").click()));
  return {
    people,
    part: async () => {
      await openBreakouts(service, room, { Ada: 0, Bob: 0, Cleo: 1, Dora: 1 });
      await Promise.all(people.map((one, at) => isIn(one, at < 2 ? "Room 1" : "Room 2")));
    },
    end: () => service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: false }),
    isBack: async (at) => {
      const place = people[at]?.page.getByRole("banner").getByText(/^Room \d$/);
      await place?.waitFor({ state: "detached", timeout: 60_000 });
    },
  };
}

/** Four people on pages with LiveKit's own client, who have the tokens of the next room. */
async function bare(scene: Scene, address: Address): Promise<Group> {
  const { service } = address;
  const [main, one, two] = await Promise.all([0, 1, 2].map(() => service.makeRoom()));
  if (!main || !one || !two) throw new Error("no rooms");
  const place = { address, room: main, options: { viewport } };
  const bares = await Promise.all(names.map((name) => BarePerson.in(scene, name, place)));
  const people = bares.map(({ person }) => person);
  await seeAll(people);
  return {
    people,
    part: async () => {
      await Promise.all(bares.map((person, at) => person.prepare(at < 2 ? one : two)));
      await Promise.all(bares.map((person) => person.go()));
      await Promise.all(bares.map((person) => person.prepare(main)));
    },
    end: () => Promise.all(bares.map((person) => person.go())),
    isBack: async (at) => bares[at]?.isIn(),
  };
}

function without(people: readonly Person[], ...left: readonly (Person | undefined)[]): Person[] {
  return people.filter((person) => !left.includes(person));
}

function seeAll(people: readonly Person[]): Promise<unknown> {
  return Promise.all(people.map((person) => untilShown(person, without(people, person))));
}

/** Puts them into two rooms, and waits until everybody sees only their partner. */
async function part({ people, part: toRooms }: Group): Promise<void> {
  await toRooms();
  await Promise.all([seeAll(people.slice(0, 2)), seeAll(people.slice(2))]);
  // Wait until the two from the other room are gone, so that their next picture is new.
  const ofOthers = people.flatMap((person, at) =>
    (at < 2 ? people.slice(2) : people.slice(0, 2)).map(({ name }) => person.tile(name)),
  );
  await expect
    .poll(() => Promise.all(ofOthers.map((tile) => tile.count())), { timeout: 60_000 })
    .toEqual(ofOthers.map(() => 0));
}

/** Sends them back, and measures until each is in the main room and sees all others. */
async function end({ people, end: toMain, isBack }: Group) {
  const [began, moment] = [performance.now(), Date.now()];
  const ended = toMain();
  const times = await Promise.all(
    people.map(async (person, at) => {
      await isBack(at);
      const inMain = performance.now() - began;
      const all = inMain + Math.max(...(await untilShown(person, without(people, person))));
      const steps: Steps = firsts(await notesSince(person.page, moment));
      return { inMain, all, steps: { ...steps, entered: inMain, "all pictures": all } };
    }),
  );
  await ended;
  return times;
}

function stepsOf({ name, steps }: Measured): string {
  const lines = moveSteps.map((step) => {
    const times = steps.flatMap(({ [step]: at }) => at ?? []).sort((a, b) => a - b);
    if (times.length === 0) return "";
    const half = times[Math.floor(times.length / 2)]?.toFixed(0);
    return `    ${step}: half after ${half} ms, the last after ${times.at(-1)?.toFixed(0)} ms\n`;
  });
  return `  ${name}:\n${lines.join("")}`;
}

function timesUntil({ name, whole, each }: Measured): Times {
  return { name, until: { "everybody sees everybody": whole, "a person sees everybody": each } };
}

/** The people of one of them meet, and part and come back a few times. */
async function partAndEnd({ name, open, whole, each, steps }: Measured): Promise<void> {
  const group = await open();
  for (let round = 0; round < together; round++) {
    await part(group);
    const times = await end(group);
    each.push(...times.map(({ all }) => all));
    whole.push(Math.max(...times.map(({ all }) => all)));
    steps.push(...times.map((one) => one.steps));
    const told = times.map(({ inMain, all }) => `${inMain.toFixed(0)}/${all.toFixed(0)}`);
    process.stdout.write(
      `closing the rooms, ${name}, try ${whole.length}: in the main room/sees all after ` +
        `${told.join(" ")} ms, load average ${loadavg()[0]?.toFixed(1)}\n`,
    );
  }
  await Promise.all(group.people.map((person) => person.close()));
}

async function measure(scene: Scene, what: string): Promise<void> {
  const all = contestants(scene, { ours, bare }).map((one): Measured => {
    return { ...one, whole: [], each: [], steps: [] };
  });
  for (let round = 0; round < tries / together; round++) {
    for (const one of inTurns(all, round)) await partAndEnd(one);
  }
  const times = all.map(timesUntil);
  process.stdout.write(
    `closing the rooms, ${what}, four people, in turns\n` +
      all.map(stepsOf).join("") +
      times.map(timesOf).join("") +
      besideLast(times),
  );
  const measured = times.flatMap(({ until }) => Object.values(until).flat());
  expect(measured.every(Number.isFinite)).toBe(true);
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
      const scene = await Scene.set(roundTrip, binaries);
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
    (tries + 1) * 60_000 * Math.max(2, binaries.length),
  );
}
