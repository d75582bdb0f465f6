import { afterEach, expect, test, vi } from "vitest";
import { PrivateFiles } from "../testing/private-files.js";
import { FileStore } from "./file-store.js";

afterEach(() => vi.unstubAllGlobals());

async function openFiles() {
  const top = new PrivateFiles();
  vi.stubGlobal("navigator", top.navigator);
  const store = await FileStore.open("r");
  const files = await (await top.getDirectoryHandle("conclave-recordings")).getDirectoryHandle("r");
  return { store, files };
}

const part = { index: 0, endsMs: 10_000 };
const bytes = new Uint8Array([1, 2, 3]);

test("a part that is being written is not listed yet, and is not lost", async () => {
  const { store, files } = await openFiles();
  const file = await files.getFileHandle("0-10000-3.part", { create: true });
  let goOn = () => {};
  file.hold = new Promise((resolve) => {
    goOn = resolve;
  });
  const putting = store.put(part, bytes);
  expect(await store.waiting()).toEqual([]);
  goOn();
  await putting;
  expect(await store.waiting()).toEqual([part]);
  expect(await store.get(part)).toEqual(bytes);
});

test("an incomplete part is not listed, and is deleted only on request", async () => {
  const { store, files } = await openFiles();
  await store.put(part, bytes);
  await files.getFileHandle("1-20000-3.part", { create: true });
  expect(await store.waiting()).toEqual([part]);
  await files.getFileHandle("1-20000-3.part");
  await store.deleteIncomplete();
  await expect(files.getFileHandle("1-20000-3.part")).rejects.toThrow();
  expect(await store.waiting()).toEqual([part]);
});

test("a page that is killed while it notes the end leaves the first note", async () => {
  const { store, files } = await openFiles();
  await store.note({ id: "r", secret: "s", parts: null });
  const first = (await files.getFileHandle("note.json")).bytes;
  await store.note({ id: "r", secret: "s", parts: 3 });
  expect((await files.getFileHandle("note.json")).bytes).toBe(first);
  expect(await store.noted()).toEqual({ id: "r", secret: "s", parts: 3 });
  for await (const name of files.keys()) {
    if (name === "note.json") continue;
    const file = await files.getFileHandle(name);
    for (const written of [file.bytes.slice(0, 20), new Uint8Array()]) {
      file.bytes = written;
      expect(await store.noted()).toEqual({ id: "r", secret: "s", parts: null });
    }
  }
});
