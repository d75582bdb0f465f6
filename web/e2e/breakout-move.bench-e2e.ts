import { loadavg } from "node:os";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { type Arrival, inTurns, medians, percentile, stepsOf } from "./arrival-report";
import { type Address, Scene } from "./arrival-scene";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { binaries, roundTrips } from "./bench-settings";
import { Person } from "./people";

const tries = Number(process.env["TRIES"] ?? 20);
/** Two people stay in a meeting for so many moves. Then builds take turns. */
const together = 4;
/** Milliseconds between the moves, so that a device has nothing left to do for the last one. */
const rest = 6000;

/** What was measured of one build. */
interface Measured {
  readonly name: string;
  readonly address: Address;
  /** `took` is until the person who moves sees the other. */
  readonly moves: Arrival[];
  /** Until the other sees the person who moves. */
  readonly seen: number[];
}

/** Milliseconds from now until a picture of a person from another room is shown. */
function untilShown(person: Person, name: string): Promise<number> {
  return person.page.evaluate(async (wanted) => {
    const began = performance.now();
    const shown = () => {
      const video = document.querySelector<HTMLVideoElement>(`[aria-label="${wanted}"] video`);
      return video?.getVideoPlaybackQuality().totalVideoFrames ?? 0;
    };
    while (shown() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return performance.now() - began;
  }, name);
}

/** Two people meet, and a host moves one of them to the other's room again and again. */
async function meetAndMove({ browser }: Scene, { address, moves, seen }: Measured): Promise<void> {
  const { service, url } = address;
  const room = await service.makeRoom();
  const page = `${url}${new URL(room.url).pathname}`;
  const bob = await Person.in(browser, "Bob", page, { prepare: traceArrival });
  const cleo = await Person.in(browser, "Cleo", page, { prepare: traceArrival });
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
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
  for (let round = 0; round < together; round++) {
    await expect.poll(() => bob.tile("Cleo").count(), { timeout: 30_000 }).toBe(0);
    await expect.poll(() => cleo.tile("Bob").count(), { timeout: 30_000 }).toBe(0);
    await cleo.page.waitForTimeout(rest);
    const [to, from] = [untilShown(cleo, "Bob"), untilShown(bob, "Cleo")];
    const moment = Date.now();
    await move(rooms[0]?.id);
    const took = await to;
    seen.push(await from);
    const [newcomer, host] = [
      await notesSince(cleo.page, moment),
      await notesSince(bob.page, moment),
    ];
    const drawn = firsts(newcomer).drawn ?? Number.POSITIVE_INFINITY;
    moves.push({ took, drawn, newcomer, host, load: loadavg()[0] ?? 0 });
    await move(round % 2 === 0 ? rooms[1]?.id : null);
  }
  await Promise.all([bob.close(), cleo.close()]);
}

function report({ name, moves, seen }: Measured): string {
  const line = (what: string, times: readonly number[]) =>
    `  ${name}: ${what} after ${percentile(times, 0.5).toFixed(0)} ms (p50), ` +
    `${percentile(times, 0.95).toFixed(0)} ms (p95): ` +
    `${times.map((time) => time.toFixed(0)).join(" ")}\n`;
  const untilSeen = (at: number) => ({ took: seen[at] ?? 0 });
  return (
    moves
      .map((one, at) => stepsOf(`${name}, move ${at + 1}`, { ...one, ...untilSeen(at) }))
      .join("") +
    line(
      "sees the other",
      moves.map(({ took }) => took),
    ) +
    line("is seen", seen) +
    `    median of each step: ${medians(moves.map(({ newcomer }) => newcomer))}\n`
  );
}

for (const roundTrip of roundTrips) {
  test(
    `from a host's move to seeing and being seen in the new room, ${roundTrip} ms away`,
    async () => {
      const scene = await Scene.set(roundTrip, binaries);
      try {
        const all = scene.services.map((address, at): Measured => {
          const binary = binaries[at];
          return { name: binary ? basename(binary) : "ours", address, moves: [], seen: [] };
        });
        for (let round = 0; round < tries / together; round++) {
          for (const one of inTurns(all, round)) await meetAndMove(scene, one);
        }
        process.stdout.write(
          `moves between rooms, round trip ${roundTrip} ms\n${all.map(report).join("")}`,
        );
        const times = all.flatMap(({ moves, seen }) => [...seen, ...moves.map((one) => one.took)]);
        expect(times.every(Number.isFinite)).toBe(true);
      } finally {
        await scene.strike();
      }
    },
    60_000 + tries * 30_000 * Math.max(1, binaries.length),
  );
}
