import { afterEach, expect, test, vi } from "vitest";
import { Mailbox } from "../testing/mailbox.js";
import { PrivateFiles } from "../testing/private-files.js";
import { FileStore, recordingsLeft } from "./file-store.js";
import { sendLeftovers } from "./leftovers.js";

afterEach(() => vi.unstubAllGlobals());

interface Request {
  readonly what: string;
  readonly answer: (parts: number) => void;
  readonly fail: () => void;
}

/** A page of a browser with private files, and a fake service. */
function openPage() {
  const files = new PrivateFiles();
  const page = new EventTarget();
  const locks = {
    request: (_name: string, _how: object, act: (lock: object) => unknown) => act({}),
  };
  vi.stubGlobal("navigator", { ...files.navigator, locks });
  vi.stubGlobal("window", page);
  const requests = new Mailbox<Request>();
  const fetch = (url: string, init: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      requests.put({
        what: `${init.method} ${url.split("/meet/v1/recordings/")[1]}`,
        answer: (parts) =>
          resolve(Response.json({ id: "", status: "processing", parts, ended: true })),
        fail: () => reject(new TypeError("no network")),
      });
    });
  vi.stubGlobal("fetch", fetch);
  const next = async (what: string) => {
    const request = await requests.next();
    expect(request.what).toBe(what);
    return request;
  };
  return { page, next };
}

/** Leaves a recording on the device, as a page does when it is closed. */
async function leave(id: string, parts: number) {
  const store = await FileStore.open(id);
  await store.note({ id, secret: "s", parts: null });
  for (let index = 0; index < parts; index += 1) {
    await store.put({ index, endsMs: 10_000 * (index + 1) }, new Uint8Array([index]));
  }
}

const sent = "PUT b/parts/0?ends_ms=10000";

test("a recording that cannot be sent does not hold up another", async () => {
  const { next } = openPage();
  await leave("a", 1);
  await leave("b", 1);
  void sendLeftovers("https://meet.example.com");
  await next("POST a/finish"); // is never answered
  (await next("POST b/finish")).answer(0);
  const [part, left] = [await next(sent), await recordingsLeft()];
  expect(left).toEqual(["a", "b"]);
  part.answer(1);
  await vi.waitFor(async () => expect(await recordingsLeft()).toEqual(["a"]));
});

test("an upload without a network goes on when the network is back", async () => {
  const { page, next } = openPage();
  await leave("b", 0);
  const sending = sendLeftovers("https://meet.example.com");
  const asked = await next("GET b/upload");
  // The upload waits for the network once the failure has arrived.
  const listening = new Promise<void>((resolve) => {
    const { addEventListener } = page;
    page.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      addEventListener.apply(page, args);
      resolve();
    };
  });
  asked.fail();
  await listening;
  page.dispatchEvent(new Event("online"));
  (await next("GET b/upload")).answer(2);
  (await next("POST b/finish")).answer(2);
  await sending;
  expect(await recordingsLeft()).toEqual([]);
});
