import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countFrames, type FrameCount } from "./frame-counts";
import { growth } from "./page-counters";
import { openBrowser, Person } from "./people";
import { type Room, ServiceUnderTest } from "./service";
import { Wiretap } from "./wiretap";

let browser: Browser;
let service: ServiceUnderTest;

const rounds = Number(process.env["ROUNDS"] ?? 5);
/** For how long frames are counted, in milliseconds: everything is over by then. */
const counted = 4000;

beforeAll(async () => {
  const camera = "--use-fake-device-for-media-stream=fps=10";
  [browser, service] = await Promise.all([
    openBrowser({ flags: [camera] }),
    ServiceUnderTest.start(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A person whose frames are counted. */
class Counted {
  readonly person: Person;
  readonly #tap: Wiretap;
  readonly #latest: { counts: readonly FrameCount[] };

  private constructor(person: Person, tap: Wiretap, latest: { counts: readonly FrameCount[] }) {
    this.person = person;
    this.#tap = tap;
    this.#latest = latest;
  }

  static async in(room: Room, name: string): Promise<Counted> {
    const latest = { counts: [] as readonly FrameCount[] };
    const onReport = (report: unknown) => Object.assign(latest, report);
    const tap = await Wiretap.to(service.ports, { inWorkers: countFrames, onReport });
    return new Counted(await Person.in(browser, name, room.url, { line: tap }), tap, latest);
  }

  get counts(): readonly FrameCount[] {
    return this.#latest.counts;
  }

  async close(): Promise<void> {
    await this.person.close();
    this.#tap.close();
  }
}

interface Change {
  /** From the change until all who stay send with new keys, in milliseconds. */
  readonly switched: number;
  /** How many frames of those who stay reached the others who stay. */
  readonly frames: number;
  readonly lost: number;
  readonly freezes: number;
}

/** What those who stay send, get and lose while something happens, and for a while after it. */
async function measureDuring(
  stay: readonly Counted[],
  act: () => Promise<unknown>,
): Promise<Change> {
  const people = await service.participants(room);
  const names = stay.map(({ person }) => person.name);
  const identities = people.filter(({ name }) => names.includes(name)).map((one) => one.identity);
  const decoding = () =>
    stay
      .flatMap(({ counts }) => counts)
      .filter((one) => one.operation === "decode" && identities.includes(one.identity));
  const before = new Map(decoding().map((one) => [one.id, one]));
  const frozen = await Promise.all(stay.map(({ person }) => person.freezes()));
  const began = Date.now();
  await act();
  await stay[0]?.person.page.waitForTimeout(counted);
  const grown = decoding().map(({ id, came, went }) => {
    const { came: cameBefore = 0, went: wentBefore = 0 } = before.get(id) ?? {};
    return { came: came - cameBefore, lost: came - went - (cameBefore - wentBefore) };
  });
  const freezes = await Promise.all(
    stay.map(async ({ person }, i) => growth(frozen[i] ?? {}, await person.freezes())),
  );
  const switches = stay
    .flatMap(({ counts }) => counts)
    .filter(({ operation }) => operation === "encode")
    .flatMap((one) => one.switches.map(({ at }) => at).filter((at) => at >= began));
  return {
    switched: Math.max(...switches) - began,
    frames: sum(grown.map(({ came }) => came)),
    lost: sum(grown.map(({ lost }) => lost)),
    freezes: sum(freezes),
  };
}

const sum = (values: readonly number[]) => values.reduce((one, other) => one + other, 0);

let room: Room;

test("four people in browsers: a removal, a join, and nothing", async () => {
  room = await service.makeRoom({ encryption: "strict" });
  const stay: Counted[] = [];
  for (const name of ["Ada", "Bob", "Cleo"]) stay.push(await Counted.in(room, name));
  const [ada] = stay as [Counted];
  const changes = { join: [] as Change[], removal: [] as Change[], nothing: [] as Change[] };
  for (let round = 0; round < rounds; round += 1) {
    let dan: Counted | undefined;
    changes.join.push(
      await measureDuring(stay, async () => {
        dan = await Counted.in(room, "Dan");
        await Promise.all([dan.person.sees("Ada"), ada.person.sees("Dan")]);
      }),
    );
    changes.nothing.push(await measureDuring(stay, async () => {}));
    const people = await service.participants(room);
    const removed = people.find(({ name }) => name === "Dan")?.identity;
    const path = `/rooms/${room.id}/participants/${removed}`;
    changes.removal.push(await measureDuring(stay, () => service.call("DELETE", path)));
    await dan?.close();
  }
  for (const [what, measured] of Object.entries(changes)) {
    const times = measured.map(({ switched }) => (Number.isFinite(switched) ? switched : "none"));
    process.stdout.write(
      `${what}, ${rounds} rounds: ${sum(measured.map((one) => one.lost))} of ` +
        `${sum(measured.map((one) => one.frames))} frames lost, ` +
        `${sum(measured.map((one) => one.freezes))} pictures stood still; ` +
        `until the last sender used the new keys, ms: ${times.join(" ")}\n`,
    );
  }
  expect(changes.removal.every(({ frames }) => frames > 0)).toBe(true);
  for (const one of stay) await one.close();
});
