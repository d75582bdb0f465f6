import { loadavg } from "node:os";
import { expect, test } from "vitest";
import {
  type Arrival,
  besideLast,
  inTurns,
  medians,
  stepsOf,
  type Times,
  timesOf,
} from "./arrival-report";
import { type Address, Scene } from "./arrival-scene";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { BarePerson } from "./bare-person";
import { binaries, isMuted, roundTrips } from "./bench-settings";
import { type Contestant, contestants } from "./contestants";
import { Person } from "./people";
import { untilShown } from "./until-shown";

const tries = Number(process.env["TRIES"] ?? 20);
/** Two people stay together for so many moves. Then the next of those who take turns follow. */
const together = 4;
/** Milliseconds between the moves, so that a device has nothing left to do for the last one. */
const rest = 6000;

/** Somebody who moves to another again and again. */
interface Pair {
  readonly mover: Person;
  readonly other: Person;
  /** The mover goes to the other's room, where the other is already. */
  readonly meet: () => Promise<unknown>;
  /** The mover goes to a room where nobody is. */
  readonly part: (round: number) => Promise<unknown>;
}

interface Measured extends Contestant<Pair> {
  /** `took` is until the person who moves sees the other. */
  readonly moves: Arrival[];
  /** Until the other sees the person who moves. */
  readonly seen: number[];
}

/** Two people in our interface. A request to the service puts them into rooms. */
async function ours({ browser }: Scene, { service, url }: Address): Promise<Pair> {
  const room = await service.makeRoom();
  const page = `${url}${new URL(room.url).pathname}`;
  const bob = await Person.in(browser, "Bob", page, { prepare: traceArrival });
  const cleo = await Person.in(browser, "Cleo", page, { prepare: traceArrival });
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  if (isMuted) await Promise.all([bob, cleo].map((person) => person.control("Mute").click()));
  const people = await service.participants(room);
  const idOf = (who: string) => people.find((person) => person.name === who)?.identity;
  const path = `/rooms/${room.id}/breakouts`;
  const { rooms } = await service.call<{ rooms: { id: string }[] }>("POST", path, {
    rooms: 2,
    assign: "manual",
    placements: [{ participant: idOf("Bob"), room: 0 }],
  });
  const move = (breakout: string | null | undefined) =>
    service.call("POST", `${path}/assignments`, {
      participant: idOf("Cleo"),
      breakout_id: breakout,
    });
  return {
    mover: cleo,
    other: bob,
    meet: () => move(rooms[0]?.id),
    part: (round) => move(round % 2 === 0 ? rooms[1]?.id : null),
  };
}

/** Two people on pages with LiveKit's own client. One has the token of the next room. */
async function bare(scene: Scene, address: Address): Promise<Pair> {
  const [there, apart] = [await address.service.makeRoom(), await address.service.makeRoom()];
  const bob = await BarePerson.in(scene, "Bob", { address, room: there });
  const cleo = await BarePerson.in(scene, "Cleo", { address, room: apart });
  await cleo.prepare(there);
  return {
    mover: cleo.person,
    other: bob.person,
    meet: () => cleo.go(),
    part: async () => {
      await cleo.prepare(apart);
      await cleo.go();
      await cleo.prepare(there);
    },
  };
}

async function meetAndPart({ open, moves, seen }: Measured): Promise<void> {
  const { mover, other, meet, part } = await open();
  for (let round = 0; round < together; round++) {
    await expect.poll(() => other.tile(mover.name).count(), { timeout: 30_000 }).toBe(0);
    await expect.poll(() => mover.tile(other.name).count(), { timeout: 30_000 }).toBe(0);
    await mover.page.waitForTimeout(rest);
    const [sees, isSeen] = [untilShown(mover, [other]), untilShown(other, [mover])];
    const moment = Date.now();
    await meet();
    const [took = Number.NaN] = await sees;
    seen.push(...(await isSeen));
    const newcomer = await notesSince(mover.page, moment);
    const host = await notesSince(other.page, moment);
    const drawn = firsts(newcomer).drawn ?? Number.POSITIVE_INFINITY;
    moves.push({ took, drawn, newcomer, host, load: loadavg()[0] ?? 0 });
    await part(round);
  }
  await Promise.all([mover.close(), other.close()]);
}

function timesUntil({ name, moves, seen }: Measured): Times {
  return {
    name,
    until: { "they see the other": moves.map(({ took }) => took), "the other sees them": seen },
  };
}

function steps({ name, moves, seen }: Measured): string {
  const each = moves.map((one, at) =>
    stepsOf(`${name}, move ${at + 1}`, { ...one, took: Math.max(one.took, seen[at] ?? 0) }),
  );
  const median = medians(moves.map(({ newcomer }) => newcomer));
  return `${each.join("")}  ${name}: median of each step: ${median}\n`;
}

for (const roundTrip of roundTrips) {
  test(
    `from the request to seeing and being seen in another room, ${roundTrip} ms away`,
    async () => {
      const scene = await Scene.set(roundTrip, binaries);
      try {
        const all = contestants(scene, { ours, bare }).map((one): Measured => {
          return { ...one, moves: [], seen: [] };
        });
        for (let round = 0; round < tries / together; round++) {
          for (const one of inTurns(all, round)) await meetAndPart(one);
        }
        const times = all.map(timesUntil);
        process.stdout.write(
          `moves between rooms, round trip ${roundTrip} ms, in turns\n` +
            all.map(steps).join("") +
            times.map(timesOf).join("") +
            besideLast(times),
        );
        const measured = times.flatMap(({ until }) => Object.values(until).flat());
        expect(measured.every(Number.isFinite)).toBe(true);
      } finally {
        await scene.strike();
      }
    },
    60_000 + tries * 30_000 * Math.max(2, binaries.length),
  );
}
