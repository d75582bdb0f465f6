import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cpuSeconds, ownProcesses } from "./cpu-time";
import { Crowd } from "./crowd";
import { takeSeats } from "./node-device";
import { openBrowser, Person } from "./people";
import { type Room, ServiceUnderTest } from "./service";
import { StrictCrowd } from "./strict-crowd";

/** How long each part is measured, in seconds. */
const seconds = Number(process.env["SECONDS"] ?? 20);
const size = 50;
const camera = "--use-fake-device-for-media-stream=fps=10";

let service: ServiceUnderTest;
let others: Browser;

beforeAll(async () => {
  [others, service] = await Promise.all([openBrowser([camera]), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await others?.close();
  await service?.stop();
});

/** Devices that send nothing. */
async function silentOnes(room: Room, encryption: string, count: number) {
  if (encryption === "strict") return StrictCrowd.in(service, room, count);
  const names = Array.from({ length: count }, (_, i) => `Device ${i + 1}`);
  const idle = [...(await takeSeats(service, room, names))];
  const held = await Crowd.hold(idle);
  return { idle, leave: () => held.disperse() };
}

/** A browser of its own, and the process that began it. */
async function measuredBrowser(): Promise<{ browser: Browser; root: number }> {
  const before = await ownProcesses();
  const browser = await openBrowser([camera]);
  const [root] = [...(await ownProcesses())].filter((id) => !before.has(id));
  if (root === undefined) throw new Error("the browser has no process");
  return { browser, root };
}

for (const encryption of ["standard", "strict"]) {
  test(`the processor time of a browser among ${size} devices, ${encryption}`, async () => {
    const room = await service.makeRoom({ encryption });
    const silent = await silentOnes(room, encryption, size - 2);
    const bob = await Person.in(others, "Bob", room.url);
    const { browser, root } = await measuredBrowser();
    const ada = await Person.in(browser, "Ada", room.url);
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    await ada.page.waitForTimeout(5000);
    const during = async (act: () => Promise<unknown>) => {
      const before = await cpuSeconds(root);
      const end = Date.now() + seconds * 1000;
      while (Date.now() < end) {
        await act();
        await ada.page.waitForTimeout(2000);
      }
      const took = (Date.now() - end) / 1000 + seconds;
      return ((await cpuSeconds(root)) - before) / took;
    };
    const quiet = await during(async () => {});
    let removals = 0;
    const changing = await during(async () => {
      const removed = silent.idle.pop();
      await service.call("DELETE", `/rooms/${room.id}/participants/${removed?.identity}`);
      removals += 1;
    });
    process.stdout.write(
      `${encryption}, ${size} devices of which two send: ${(quiet * 100).toFixed(0)} % of a ` +
        `processor while nothing changes, ${(changing * 100).toFixed(0)} % while ${removals} ` +
        `people are removed in ${seconds} s\n`,
    );
    await ada.sees("Bob");
    expect(quiet).toBeGreaterThan(0);
    await Promise.all([ada.close(), bob.close(), silent.leave()]);
    await browser.close();
  });
}
