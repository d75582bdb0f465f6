import { expect, test, vi } from "vitest";
import { ServiceError } from "../service-error.js";
import { HandClock } from "../testing/hand-clock.js";
import { Mailbox } from "../testing/mailbox.js";
import { MemoryStore } from "./part-store.js";
import type { UploadState } from "./upload-service.js";
import { type UploadEnd, Uploader } from "./uploader.js";

const bytes = (...values: number[]) => new Uint8Array(values);

interface Request {
  readonly what: string;
  readonly answer: (state?: Partial<UploadState>) => void;
  readonly refuse: (status: number, code: string) => void;
}

/** An uploader with a fake service. */
function playUpload(parts: number | null = null) {
  const clock = new HandClock();
  const store = new MemoryStore();
  const requests = new Mailbox<Request>();
  const ends = new Mailbox<UploadEnd>();
  const stored: number[] = [];
  const stopped = new Mailbox<true>();
  const stalls: boolean[] = [];
  const ask = (what: string) =>
    new Promise<UploadState>((resolve, reject) => {
      const state = { id: "r", status: "recording", parts: 0, ended: false } as const;
      requests.put({
        what,
        answer: (more = {}) => resolve({ ...state, ...more }),
        refuse: (status, code) => reject(new ServiceError(status, code, "", null)),
      });
    });
  const uploader = new Uploader({
    service: {
      state: () => ask("state"),
      putPart: (index, endsMs, part) => ask(`part ${index} ${endsMs} [${part.join(" ")}]`),
      putIndex: (index) => ask(`index [${index.join(" ")}]`),
      finish: (count) => ask(`finish ${count}`),
      alive: () => ask("alive"),
    },
    store,
    note: { id: "r", secret: "s", parts },
    clock,
    onStored: (count) => stored.push(count),
    onStopped: () => stopped.put(true),
    onStalled: (isStalled) => stalls.push(isStalled),
    onEnd: (end) => ends.put(end),
  });
  const add = async (index: number) => {
    await store.put({ index, endsMs: (index + 1) * 10_000 }, bytes(index, index));
    await store.putIndex(bytes(100 + index));
    uploader.added();
  };
  const next = async (what: string) => {
    const request = await requests.next();
    expect(request.what).toBe(what);
    return request;
  };
  return { clock, store, requests, ends, stored, stopped, stalls, uploader, add, next };
}

test("an index that is replaced while it is read is sent again", async () => {
  const { clock, store, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).answer();
  await clock.started(1, 15_000);
  const old = await store.index();
  const read = vi.spyOn(store, "index").mockImplementationOnce(async () => {
    await add(1);
    return old;
  });
  clock.pass(30_000);
  (await next("index [100]")).answer();
  read.mockRestore();
  uploader.finish(2);
  (await next("index [101]")).answer();
  (await next("finish 2")).answer();
  (await next("part 1 20000 [1 1]")).answer();
});

test("parts are uploaded in their order, and deleted once they are stored", async () => {
  const { store, stored, uploader, add, next } = playUpload();
  await add(0);
  await add(1);
  uploader.start();
  (await next("part 0 10000 [0 0]")).answer();
  const second = await next("part 1 20000 [1 1]");
  expect([stored, (await store.waiting()).length]).toEqual([[1], 1]);
  second.answer();
  await add(2);
  (await next("part 2 30000 [2 2]")).answer();
});

test("at the end of a recording the uploader sends the index, the end and the rest, and keeps nothing", async () => {
  const { store, ends, uploader, add, next } = playUpload();
  await add(0);
  await add(1);
  uploader.finish(2);
  uploader.start();
  (await next("index [101]")).answer();
  (await next("finish 2")).answer({ ended: true });
  (await next("part 0 10000 [0 0]")).answer();
  (await next("part 1 20000 [1 1]")).answer();
  expect(await ends.next()).toBe("done");
  expect(await store.waiting()).toEqual([]);
});

test("without a network the uploader tries again, with growing pauses, and loses no part", async () => {
  const { clock, store, uploader, next } = playUpload();
  await store.put({ index: 0, endsMs: 10_000 }, bytes(0, 0));
  uploader.start();
  for (const wait of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    (await next("part 0 10000 [0 0]")).refuse(0, "network");
    await clock.started(1, wait);
    clock.pass(wait);
  }
  (await next("part 0 10000 [0 0]")).refuse(503, "unavailable");
  await clock.started(1, 30_000);
  uploader.hurry();
  (await next("part 0 10000 [0 0]")).answer();
  await store.put({ index: 1, endsMs: 20_000 }, bytes(1, 1));
  uploader.added();
  (await next("part 1 20000 [1 1]")).refuse(429, "rate_limited");
  // After a success the pauses are short again.
  await clock.started(1, 1000);
});

test("the index is uploaded every half minute", async () => {
  const { clock, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).answer();
  await clock.started(1, 15_000);
  clock.pass(14_000);
  await add(1);
  (await next("part 1 20000 [1 1]")).answer();
  await clock.started(1, 15_000);
  clock.pass(14_000);
  await add(2);
  (await next("part 2 30000 [2 2]")).answer();
  await clock.started(1, 15_000);
  clock.pass(14_000);
  await add(3);
  (await next("index [103]")).answer();
  (await next("part 3 40000 [3 3]")).answer();
});

test("a device that has nothing to send reports that it is still there", async () => {
  const { clock, uploader, next } = playUpload();
  uploader.start();
  await clock.started(1, 15_000);
  clock.pass(15_000);
  (await next("alive")).answer();
  await clock.started(1, 15_000);
  clock.pass(15_000);
  (await next("alive")).answer();
});

test("the uploader learns from the service that the recording has ended", async () => {
  const { stopped, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).answer({ status: "processing", ended: true });
  expect(await stopped.next()).toBe(true);
});

test("a part that fails after a minute has not been sent for a minute", async () => {
  const { clock, store, stalls, uploader, next } = playUpload();
  await store.put({ index: 0, endsMs: 10_000 }, bytes(0, 0));
  uploader.start();
  const part = await next("part 0 10000 [0 0]");
  clock.pass(60_000);
  part.refuse(503, "service_unavailable");
  await clock.started(1, 1000);
  expect(stalls).toEqual([true]);
});

test("people are told while a part hangs, until it is sent", async () => {
  const { clock, store, stalls, uploader, next } = playUpload();
  await store.put({ index: 0, endsMs: 10_000 }, bytes(0, 0));
  uploader.start();
  (await next("part 0 10000 [0 0]")).refuse(0, "network");
  await clock.started(1, 1000);
  clock.pass(1000);
  const part = await next("part 0 10000 [0 0]");
  clock.pass(58_999);
  expect(stalls).toEqual([]);
  clock.pass(1); // a minute after the first try
  expect(stalls).toEqual([true]);
  part.answer();
  await clock.started(1, 15_000);
  expect(stalls).toEqual([true, false]);
});

test("nobody is told of a request that hangs when the uploader is closed", async () => {
  const { clock, store, stalls, uploader, next } = playUpload();
  await store.put({ index: 0, endsMs: 10_000 }, bytes(0, 0));
  uploader.start();
  await next("part 0 10000 [0 0]");
  uploader.close();
  clock.pass(60_000);
  expect(stalls).toEqual([]);
});

test.each(["storage_full", "limit_reached"] as const)("%s ends it", async (code) => {
  const { ends, store, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).refuse(code === "storage_full" ? 507 : 409, code);
  expect(await ends.next()).toBe(code);
  expect(await store.waiting()).toEqual([]);
});

test.each([
  [413, "http_413"],
  [404, "http_404"],
  [403, "http_403"],
  [400, "parameter_invalid"],
  [409, "recording_busy"],
])("%i %s does not end it: the part waits, and is sent again", async (status, code) => {
  const { clock, store, stalls, uploader, add, next } = playUpload();
  await store.put({ index: 0, endsMs: 10_000 }, bytes(0, 0));
  uploader.start();
  for (const wait of [1000, 2000, 4000, 8000, 16_000, 30_000]) {
    (await next("part 0 10000 [0 0]")).refuse(status, code);
    await clock.started(1, wait);
    expect(stalls).toEqual([]);
    clock.pass(wait);
  }
  (await next("part 0 10000 [0 0]")).refuse(status, code);
  await clock.started(1, 30_000);
  expect(stalls).toEqual([true]); // a minute has passed
  expect((await store.waiting()).length).toBe(1);
  await add(1);
  expect(stalls).toEqual([true]);
  clock.pass(30_000);
  // A small request that succeeds does not end the stall.
  (await next("index [101]")).answer();
  (await next("part 0 10000 [0 0]")).answer();
  await next("part 1 20000 [1 1]");
  expect(stalls).toEqual([true, false]);
});

test("a store that fails once is read again", async () => {
  const { clock, store, uploader, add, next } = playUpload();
  await add(0);
  const { waiting } = store;
  let failures = 1;
  Object.assign(store, {
    waiting: () => (failures-- > 0 ? Promise.reject(new Error("busy disk")) : waiting()),
  });
  uploader.start();
  await clock.started(1, 1000);
  clock.pass(1000);
  (await next("part 0 10000 [0 0]")).answer();
});

test("a recording that is over while parts wait ends as too late", async () => {
  const { ends, store, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).refuse(409, "recording_over");
  (await next("state")).answer({ ended: true });
  expect(await ends.next()).toBe("too_late");
  expect(await store.waiting()).toEqual([]);
});

test("a recording that was deleted ends as deleted", async () => {
  const { ends, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).refuse(409, "recording_over");
  (await next("state")).refuse(409, "recording_over");
  expect(await ends.next()).toBe("deleted");
});

test("a recording that is over while nothing waits ends as over", async () => {
  const { clock, ends, uploader, next } = playUpload();
  uploader.start();
  await clock.started(1, 15_000);
  clock.pass(15_000);
  (await next("alive")).refuse(409, "recording_over");
  (await next("state")).answer({ ended: true });
  expect(await ends.next()).toBe("over");
});

test.each([
  [404, "not_found"],
  [401, "upload_invalid"],
])("%i %s: the service accepts no more of it", async (status, code) => {
  const { ends, uploader, add, next } = playUpload();
  await add(0);
  uploader.start();
  (await next("part 0 10000 [0 0]")).refuse(status, code);
  expect(await ends.next()).toBe("over");
});

test("a part that the service has already is skipped", async () => {
  const { clock, uploader, add, next } = playUpload();
  await add(0);
  await add(1);
  uploader.start();
  (await next("part 0 10000 [0 0]")).refuse(409, "part_conflict");
  (await next("state")).answer({ parts: 1 });
  await clock.started(1, 1000);
  clock.pass(1000);
  (await next("part 1 20000 [1 1]")).answer();
});

test("a lost part in between makes the rest useless", async () => {
  const { ends, uploader, add, next } = playUpload();
  await add(5);
  uploader.start();
  (await next("part 5 60000 [5 5]")).refuse(409, "part_out_of_order");
  (await next("state")).answer({ parts: 3 });
  expect(await ends.next()).toBe("over");
});

test("parts that an earlier page left are sent with their index and the end", async () => {
  const { ends, store, uploader, next } = playUpload(3);
  await store.put({ index: 2, endsMs: 25_000 }, bytes(9));
  await store.putIndex(bytes(7));
  uploader.start();
  (await next("index [7]")).answer();
  (await next("finish 3")).answer({ ended: true });
  (await next("part 2 25000 [9]")).answer();
  expect(await ends.next()).toBe("done");
});

test("memory holds 64 MiB of waiting parts, and no more", async () => {
  const store = new MemoryStore();
  const part = new Uint8Array(8 * 1024 * 1024);
  for (let index = 0; index < 8; index += 1) await store.put({ index, endsMs: 0 }, part);
  await expect(store.put({ index: 8, endsMs: 0 }, part)).rejects.toThrow("no room");
  await store.delete({ index: 0, endsMs: 0 });
  await store.put({ index: 8, endsMs: 0 }, part);
});
