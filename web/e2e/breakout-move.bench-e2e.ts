import { loadavg } from "node:os";
import type { ArrivalNote } from "@conclave/client/arrival/steps";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { medians, stepsOf } from "./arrival-report";
import { notesSince, traceArrival } from "./arrival-trace";
import { openBrowser, Person } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

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

function quantile(values: readonly number[], part: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN).toFixed(0);
}

test("from a host's move to seeing and being seen in the new room", async () => {
  const rounds = Number(process.env["TRIES"] ?? 20);
  const room = await service.makeRoom();
  const bob = await Person.in(browser, "Bob", room.url, { prepare: traceArrival });
  const cleo = await Person.in(browser, "Cleo", room.url, { prepare: traceArrival });
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  const people = await service.participants(room);
  const idOf = (name: string) => people.find((person) => person.name === name)?.identity;
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
  const sees: number[] = [];
  const seen: number[] = [];
  const traced: (readonly ArrivalNote[])[] = [];
  for (let round = 0; round < rounds; round++) {
    await expect.poll(() => bob.tile("Cleo").count(), { timeout: 15_000 }).toBe(0);
    await expect.poll(() => cleo.tile("Bob").count(), { timeout: 15_000 }).toBe(0);
    await cleo.page.waitForTimeout(500); // until the old room is quiet again
    const [to, from] = [untilShown(cleo, "Bob"), untilShown(bob, "Cleo")];
    const moment = Date.now();
    await move(rooms[0]?.id);
    const took = await to;
    sees.push(took);
    seen.push(await from);
    const [newcomer, host] = [
      await notesSince(cleo.page, moment),
      await notesSince(bob.page, moment),
    ];
    traced.push(newcomer);
    const load = loadavg()[0] ?? 0;
    process.stdout.write(stepsOf(`move ${round + 1}`, { took, newcomer, host, load }));
    await move(round % 2 === 0 ? rooms[1]?.id : null);
  }
  for (const [what, times] of [
    ["sees the others", sees],
    ["is seen by them", seen],
  ] as const) {
    process.stdout.write(
      `a move between rooms, ${rounds} rounds: ${what} after ${quantile(times, 0.5)} ms (p50), ` +
        `${quantile(times, 0.95)} ms (p95): ${times.map((time) => time.toFixed(0)).join(" ")}\n`,
    );
  }
  process.stdout.write(`  median of each step: ${medians(traced)}\n`);
  expect([...sees, ...seen].every(Number.isFinite)).toBe(true);
  await Promise.all([bob.close(), cleo.close()]);
});
