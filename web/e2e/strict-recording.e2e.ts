import { createDecipheriv } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, part, soon } from "./people";
import { playNothing } from "./played-camera";
import { playClapper } from "./played-clapper";
import { claps, flashes, RecordedFile, readyRecording } from "./recorded-file";
import { type Place, placesWithAny } from "./secret-search";
import { SecretWatch } from "./secret-watch";
import { ServiceUnderTest } from "./service";

const password = "correct horse battery";
let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A member's browser, on the page of the recordings. It becomes a device that can open them. */
async function member(name: string): Promise<Person> {
  const email = `${name.toLowerCase()}@acme.example`;
  await service.addMember(email, name, "member", password);
  let registered: Promise<unknown> | undefined;
  const person = await Person.at(browser, name, `${service.url}/recordings`, {
    prepare: async (page) => {
      const data = { email, password };
      await page.request.post(`${service.url}/account/v1/sign-in`, { data });
      // Where it can, the browser asks where to put a file, which a test cannot answer.
      await page.addInitScript(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
      registered = page.waitForResponse((response) => response.url().endsWith("/v1/devices"), soon);
    },
  });
  await registered;
  return person;
}

/** A part of a recording as the service stores it, which this key opens; null if it does not. */
function openedPart(key: Buffer, stored: Buffer, name: string): Buffer | null {
  const decipher = createDecipheriv("aes-256-gcm", new Uint8Array(key), stored.subarray(0, 12));
  decipher.setAAD(Buffer.from(name)).setAuthTag(stored.subarray(-16));
  const plain = decipher.update(stored.subarray(12, -16));
  try {
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}

/** Pieces from all parts of a file. */
function pieces(file: Buffer): readonly Buffer[] {
  const count = 200;
  const step = Math.floor((file.byteLength - 32) / count);
  const all = Array.from({ length: count }, (_, i) => file.subarray(i * step, i * step + 32));
  // Zeros and other repetitions are everywhere.
  return all.filter((piece) => new Set(piece).size > 16);
}

test("members open the recording of a strict meeting, and the service has neither it nor its key", async () => {
  const watch = new SecretWatch(service);
  const ida = await member("Ida");
  const room = await service.makeRoom({ encryption: "strict" });
  expect(room.settings["recordings"]).toBe("end_to_end");
  const hostLink = await service.invite(room, "Hedy", "host");
  const line = await watch.line();
  const hedy = await Person.in(browser, "Hedy", hostLink, { line });
  const roger = await Person.in(browser, "Roger", room.url, {
    line: await watch.line(),
    prepare: (page) => page.addInitScript(playClapper),
  });
  await hedy.control("Mute").click();
  await Promise.all([hedy.sees("Roger"), roger.sees("Hedy"), hedy.hears()]);
  await hedy.control("Record").click();
  await hedy.told("Recording").waitFor(soon);
  await roger.told("Recording").waitFor(soon);
  const reached = async () => /(\d+):(\d\d)/.exec((await hedy.told("Recording").innerText()) ?? "");
  await expect.poll(async () => Number((await reached())?.[2]), soon).toBeGreaterThanOrEqual(8);
  // The keys change in the middle of the recording.
  const late = await Person.in(browser, "Cleo", room.url, {
    line: await watch.line(),
    prepare: (page) => page.addInitScript(playNothing),
  });
  await late.sees("Roger");
  await late.close();
  await expect.poll(async () => Number((await reached())?.[2]), soon).toBeGreaterThanOrEqual(16);
  await hedy.control("Stop recording").click();
  await hedy.control("Record").waitFor(soon);
  const { id } = await readyRecording(service, room);
  await watch.look();

  await expect(service.call("POST", `/recordings/${id}/download`)).rejects.toThrow(
    "recording_end_to_end",
  );
  await ida.page.reload();
  const [download] = await Promise.all([
    ida.page.waitForEvent("download", soon),
    ida.page.getByRole("button", { name: "Download", exact: true }).click(),
  ]);
  const bytes = await readFile(await download.path());
  const file = await RecordedFile.of(bytes);
  expect(await file.faults()).toBe("");
  expect(await file.streams()).toEqual(["video h264 1280x720", "audio opus"]);
  const times = await file.pictureTimes();
  // Hedy's microphone is off, so the claps are Roger's, opened with the keys of the group.
  expect(claps(await file.sound()).length).toBeGreaterThan(8);
  expect(flashes(await file.brightness(0.6, 0.4, 0.3, 0.2), times).length).toBeGreaterThan(4);
  await file.delete();

  // Its key is among those of the devices, and opens what is stored: the search covers it.
  const kept: readonly Place[] = await service.places();
  const keys = line.keys.map((key) => key.bytes).filter(({ byteLength }) => byteLength === 32);
  const opened = kept.flatMap(({ content }) =>
    content.byteLength > 1000 ? keys.map((key) => openedPart(key, content, partName(id))) : [],
  );
  const [first] = opened.filter((plain) => plain !== null);
  expect(first?.equals(bytes.subarray(0, first.byteLength))).toBe(true);
  const found = pieces(bytes);
  expect(found.length).toBeGreaterThan(100);
  expect(placesWithAny(found, [{ name: "file", content: bytes }])).toEqual(["file"]);
  expect(placesWithAny(found, kept)).toEqual([]);
  await part(hedy, roger, ida);
  await watch.expectNothing("Roger");
});

/** What the first part of a recording is called, as docs/reference/recordings.md says. */
const partName = (id: string) => `service-recording:${id}:0`;
