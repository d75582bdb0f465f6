import { browserClock, pause } from "../clock.js";
import { whenOnline } from "../online.js";
import { FileStore, recordingsLeft } from "./file-store.js";
import type { UploadNote } from "./part-store.js";
import { ifUploadIsFree } from "./upload-lock.js";
import { isUploadOver, UploadService } from "./upload-service.js";
import { Uploader } from "./uploader.js";

/** How long to wait before asking the service again how far an upload is, in milliseconds. */
const askEvery = 30_000;

/**
 * Sends the parts that an earlier page recorded on this device and did not send before it was
 * closed. Resolves when nothing is left that could be sent.
 */
export async function sendLeftovers(baseUrl: string): Promise<void> {
  // In parallel, so that a recording that cannot be sent does not hold up another.
  const sending = (await recordingsLeft()).map((id) =>
    ifUploadIsFree(id, () => sendRest(baseUrl, id)),
  );
  await Promise.allSettled(sending); // a later page tries the failed ones again
}

async function sendRest(baseUrl: string, id: string): Promise<void> {
  const store = await FileStore.open(id);
  await store.deleteIncomplete();
  const note = await store.noted();
  if (!note) {
    await store.clear();
    return;
  }
  const service = new UploadService({ baseUrl, id, secret: note.secret });
  const parts = note.parts ?? (await partsOf(store, service));
  if (parts === null) return;
  await new Promise<void>((resolve) => {
    const ended: UploadNote = { ...note, parts };
    const uploader = new Uploader({
      service,
      store,
      note: ended,
      clock: browserClock,
      onStored: () => {},
      onStopped: () => {},
      onStalled: () => {},
      onEnd: () => {
        undo();
        resolve();
      },
    });
    const undo = whenOnline(() => uploader.hurry());
    uploader.start();
  });
}

/**
 * How many parts an interrupted recording has: the waiting ones, and those before them. Asks the
 * service until it answers; null if the recording is over or deleted.
 */
async function partsOf(store: FileStore, service: UploadService): Promise<number | null> {
  const last = (await store.waiting()).at(-1);
  if (last) return last.index + 1;
  for (;;) {
    try {
      return (await service.state()).parts;
    } catch (error) {
      if (isUploadOver(error)) {
        await store.clear();
        return null;
      }
    }
    await untilOnline(askEvery);
  }
}

/** Waits for the given time, or until the device has a network again. */
async function untilOnline(milliseconds: number): Promise<void> {
  const online = new AbortController();
  const undo = whenOnline(() => online.abort());
  await pause(browserClock, milliseconds, online.signal);
  undo();
}
