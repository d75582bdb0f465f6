import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { playNothing } from "./played-camera";
import { playClapper } from "./played-clapper";
import { claps, flashes, offsets, RecordedFile, readyRecording } from "./recorded-file";
import { ServiceUnderTest } from "./service";

/**
 * Measures the delay between sound and picture in a recording, and its cost on the host's computer.
 */

const seconds = Number(process.env["RECORD_SECONDS"] ?? 60);
const ticksPerSecond = 100;

let hostBrowser: Browser;
let browser: Browser;
let service: ServiceUnderTest;
/** Every process of the host's browser inherits this argument. */
const mark = `--recording-bench=${process.pid}`;

beforeAll(async () => {
  [hostBrowser, browser, service] = await Promise.all([
    openBrowser({ flags: [mark] }),
    openBrowser(),
    ServiceUnderTest.start(),
  ]);
});

afterAll(async () => {
  await Promise.all([hostBrowser?.close(), browser?.close()]);
  await service?.stop();
});

interface Use {
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** The CPU time and memory of all processes of the host's browser so far. */
function used(): Use {
  const children = new Map<number, number[]>();
  let root = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /, "")
      .split(" ");
    const parent = Number(stat[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    const command = read(`/proc/${pid}/cmdline`);
    if (command.includes(mark) && !command.includes("--type=")) root = pid;
  }
  let [ticks, kilobytes] = [0, 0];
  const add = (pid: number): void => {
    const stat = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /, "")
      .split(" ");
    ticks += Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
    const [, pss] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
    kilobytes += Number(pss ?? 0);
    for (const child of children.get(pid) ?? []) add(child);
  };
  add(root);
  return { cpuSeconds: ticks / ticksPerSecond, megabytes: Math.round(kilobytes / 1024) };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the process has just ended
  }
}

async function measure(what: string, length: number): Promise<void> {
  const before = used();
  await sleep(length * 1000);
  const after = used();
  const cores = (after.cpuSeconds - before.cpuSeconds) / length;
  const memory = `${before.megabytes} MB before, ${after.megabytes} MB after`;
  process.stdout.write(`${what}: ${cores.toFixed(2)} cores, ${memory}\n`);
}

test("the delay between another person's sound and picture", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy", "host");
  const host = await Person.in(hostBrowser, "Hedy", link, {
    prepare: (page) => page.addInitScript(playNothing),
  });
  const guest = await Person.in(browser, "Bob", room.url, {
    prepare: (page) => page.addInitScript(playClapper),
  });
  await host.sees("Bob");
  await host.control("Record").click();
  await host.told("Recording").waitFor(soon);
  await sleep(seconds * 1000);
  await host.control("Stop recording").click();
  const file = await RecordedFile.fetch(service, await readyRecording(service, room));
  const times = await file.pictureTimes();
  process.stdout.write(`${(times.length / (times.at(-1) ?? 1)).toFixed(1)} pictures a second\n`);
  const seen = flashes(await file.brightness(0.6, 0.4, 0.3, 0.2), times);
  const apart = [...offsets(seen, claps(await file.sound()))].sort((one, two) => one - two);
  const [least, most] = [0.1, 0.9].map((part) => apart[Math.floor(apart.length * part)]);
  const median = apart[Math.floor(apart.length / 2)];
  const close = apart.filter((one) => Math.abs(one) <= 80).length;
  process.stdout.write(`sound is late by ${median} ms, mostly between ${least} and ${most} ms; `);
  process.stdout.write(`${close} of ${apart.length} claps within 80 ms\n`);
  await file.delete();
  await Promise.all([host.close(), guest.close()]);
});

test("the cost of recording", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy", "host");
  const host = await Person.in(hostBrowser, "Hedy", link);
  const others = [
    await Person.in(browser, "Bob", room.url),
    await Person.in(browser, "Cleo", room.url),
  ];
  for (const { name } of others) await host.sees(name);
  await measure("in the meeting", seconds / 3);
  await host.control("Record").click();
  await host.told("Recording").waitFor(soon);
  await sleep(5000);
  await measure("recording", seconds);
  await host.control("Stop recording").click();
  await host.control("Record").waitFor(soon);
  await Promise.all([host, ...others].map((person) => person.close()));
});
