import { expect, test } from "vitest";
import { encryptPart, newRecordingKey, type Piece, partKey } from "../recording/part-format.js";
import { encodeIndex } from "../recording/recording-index.js";
import { copyFile, type FileSink } from "./copy-file.js";
import { DamagedPart, EncryptedFile, RecordingGone } from "./encrypted-file.js";

const id = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11";
const utf8 = (text: string) => new TextEncoder().encode(text);
const never = new AbortController().signal;

/** A recording in memory, with its stored pieces for tests to damage. */
async function recorded(...texts: string[]) {
  const key = await partKey(newRecordingKey());
  const stored = new Map<Piece, Uint8Array<ArrayBuffer>>();
  for (const [part, text] of texts.entries()) {
    stored.set(part, await encryptPart(key, id, part, utf8(text)));
  }
  const index = encodeIndex(texts.map((_, part) => [part * 10_000, part * 100]));
  stored.set("index", await encryptPart(key, id, "index", index));
  const service = { hasRecording: true };
  const file = new EncryptedFile({
    id,
    mimeType: "video/mp4",
    parts: texts.length,
    duration: texts.length * 10,
    key,
    fetchPiece: async (piece) => stored.get(piece) ?? null,
    isThere: async () => service.hasRecording,
  });
  return { file, stored, service };
}

/** A file in memory. */
class Notes implements FileSink {
  text = "";
  state: "open" | "closed" | "gone" = "open";

  write = async (bytes: Uint8Array) => {
    this.text += new TextDecoder().decode(bytes);
  };
  close = async () => {
    this.state = "closed";
  };
  abort = async () => {
    this.state = "gone";
  };
}

test("a file is copied part by part, and the progress is reported", async () => {
  const { file } = await recorded("one ", "two ", "three");
  const [notes, progress]: [Notes, number[]] = [new Notes(), []];
  await copyFile(file, notes, (share) => progress.push(share), never);
  expect(notes).toMatchObject({ text: "one two three", state: "closed" });
  expect(progress).toEqual([0, 1 / 3, 2 / 3]);
});

test("a part that was changed, swapped or lost is named, and leaves no file", async () => {
  const harms: readonly ((stored: Map<Piece, Uint8Array<ArrayBuffer>>) => void)[] = [
    (stored) => {
      const part = stored.get(1)?.slice() ?? new Uint8Array();
      part[20] = (part[20] ?? 0) ^ 1;
      stored.set(1, part);
    },
    (stored) => stored.set(1, stored.get(2) ?? new Uint8Array()),
    (stored) => stored.delete(1),
    (stored) => stored.set(1, new Uint8Array(3)),
  ];
  for (const harm of harms) {
    const { file, stored } = await recorded("one", "two", "three");
    harm(stored);
    const notes = new Notes();
    const copying = copyFile(file, notes, () => undefined, never);
    await expect(copying).rejects.toThrow(new DamagedPart(1));
    expect(notes).toMatchObject({ text: "one", state: "gone" });
  }
});

test("people count parts from 1", () => {
  expect(new DamagedPart(0).message).toBe("Part 1 of this recording is damaged.");
});

test("a recording that was deleted meanwhile counts as gone, not as damaged", async () => {
  const { file, stored, service } = await recorded("one", "two");
  stored.clear();
  service.hasRecording = false;
  await expect(file.read(1, never)).rejects.toThrow(new RecordingGone());
});

test("a copy that is cancelled leaves no file", async () => {
  const { file } = await recorded("one", "two");
  const cancel = new AbortController();
  const notes = new Notes();
  const copying = copyFile(file, notes, (share) => share > 0 && cancel.abort(), cancel.signal);
  await expect(copying).rejects.toThrow();
  expect(notes.state).toBe("gone");
});

test("the index says when parts begin, and may be missing or damaged", async () => {
  const { file, stored } = await recorded("one", "two", "three");
  expect(await file.starts(never)).toEqual([0, 10, 20]);
  stored.set("index", stored.get(0) ?? new Uint8Array());
  expect(await file.starts(never)).toEqual([]);
  stored.delete("index");
  expect(await file.starts(never)).toEqual([]);
});
