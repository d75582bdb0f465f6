import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cpuSeconds, ownProcesses } from "./cpu-time";
import { Crowd } from "./crowd";
import { takeSeats } from "./node-device";
import { openBrowser, Person } from "./people";
import { type Room, ServiceUnderTest } from "./service";
import { StrictCrowd } from "./strict-crowd";

/** How long each part is measured, in seconds. */
const seconds = Number(process.env["CPU_SECONDS"] ?? 20);
const size = 50;
const camera = "--use-fake-device-for-media-stream=fps=10";

let service: ServiceUnderTest;

beforeAll(async () => {
  service = await ServiceUnderTest.start();
});

afterAll(async () => {
  await service?.stop();
});

/** Devices that send nothing. */
async function silentOnes(room: Room, encryption: string) {
  if (encryption === "strict") return StrictCrowd.in(service, room, size - 2, 2);
  const names = Array.from({ length: size - 2 }, (_, i) => `Device ${i + 1}`);
  const idle = [...(await takeSeats(service, room, names))];
  const held = await Crowd.hold(idle);
  return { idle, leave: () => held.disperse() };
}

/** A browser of its own, and the process that began it. */
async function measuredBrowser(): Promise<{ browser: Browser; root: number }> {
  const before = await ownProcesses();
  const browser = await openBrowser({ flags: [camera] });
  const [root] = [...(await ownProcesses())].filter((id) => !before.has(id));
  if (root === undefined) throw new Error("the browser has no process");
  return { browser, root };
}

for (const encryption of ["standard", "strict"]) {
  test(`the processor time of a browser among ${size} devices, ${encryption}`, async () => {
    const room = await service.makeRoom({ encryption });
    // The first in a strict meeting has the lowest leaf and makes the commits; the second follows.
    // Both come before the others, so that they have tiles among the many.
    const [first, second] = [await measuredBrowser(), await measuredBrowser()];
    const ada = await Person.in(first.browser, "Ada", room.url);
    const bob = await Person.in(second.browser, "Bob", room.url);
    const silent = await silentOnes(room, encryption);
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    await pause(5000);
    const during = async (act: () => Promise<unknown>) => {
      const used = () => Promise.all([first, second].map(({ root }) => cpuSeconds(root)));
      const before = await used();
      const began = performance.now();
      while (performance.now() < began + seconds * 1000) {
        await act();
        await pause(2000);
      }
      const took = (performance.now() - began) / 1000;
      const after = await used();
      return after.map((value, i) => (100 * (value - (before[i] ?? 0))) / took);
    };
    const quiet = await during(async () => {});
    let removals = 0;
    const changing = await during(async () => {
      const removed = silent.idle.pop();
      await service.call("DELETE", `/rooms/${room.id}/participants/${removed?.identity}`);
      removals += 1;
    });
    const told = (shares: readonly number[]) =>
      shares.map((share) => `${share.toFixed(0)} %`).join(" and ");
    process.stdout.write(
      `${encryption}, ${size} devices of which two send, the first and the second: ${told(quiet)} ` +
        `of a processor while nothing changes, ${told(changing)} while ${removals} people are ` +
        `removed in ${seconds} s\n`,
    );
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    expect(Math.min(...quiet)).toBeGreaterThan(0);
    await Promise.all([ada.close(), bob.close(), silent.leave()]);
    await Promise.all([first.browser.close(), second.browser.close()]);
  });
}
