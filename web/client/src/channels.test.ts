import { afterEach, expect, test, vi } from "vitest";
import { Channels, OtherKeys } from "./channels.js";
import { EncryptionUnsupported } from "./encryption-worker.js";
import { chatTopic } from "./envelope.js";
import { HandClock } from "./testing/hand-clock.js";
import type { MediaToken, RoomInfo, Seat } from "./wire.js";

const token: MediaToken = {
  server_url: "wss://meet.example.com",
  token: "t",
  e2ee_passphrase: null,
  expires_in: 600,
  breakout_id: null,
};
const withPassphrase = { ...token, e2ee_passphrase: "a passphrase" };

/** What the groups do with their worker, as far as these tests play it. */
type Played = Pick<Worker, "postMessage" | "terminate" | "onmessage"> & {
  onerror: ((event: Event) => void) | null;
};

function channelsFor(
  seat: MediaToken,
  encryption: RoomInfo["encryption"] | null,
  linkSecret: Uint8Array<ArrayBuffer> | null = null,
) {
  const posted: unknown[] = [];
  const worker: Played = {
    postMessage: (message: { readonly type: string }) => posted.push(message.type),
    terminate: () => posted.push("terminate"),
    onmessage: null,
    onerror: null,
  };
  const channels = new Channels({
    seat: { ...seat, identity: "ada", ticket: "t" } as Seat,
    room: encryption && ({ id: "room", encryption } as RoomInfo),
    baseUrl: "https://meet.example.com",
    clock: new HandClock(),
    createWorker: () => worker,
    onWorkerFailed: () => posted.push("failed"),
    onOvertaken: () => {},
    linkSecret,
    ahead: () => 0,
    send: () => {},
  });
  return { channels, posted, worker };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(["Ed25519", "X25519"])(
  "a browser without %s joins no strict meeting",
  async (missing) => {
    const real = crypto.subtle.generateKey.bind(crypto.subtle);
    vi.spyOn(crypto.subtle, "generateKey").mockImplementation(async (algorithm, ...more) => {
      const name = typeof algorithm === "string" ? algorithm : algorithm.name;
      if (name === missing) throw new DOMException("not supported", "NotSupportedError");
      return real(algorithm as "Ed25519", ...more);
    });
    const { channels } = channelsFor(token, "strict");
    await expect(channels.open(token)).rejects.toThrow(EncryptionUnsupported);
    const standard = channelsFor(withPassphrase, "standard");
    expect((await standard.channels.open(withPassphrase)).group).toBeNull();
  },
);

test("a standard meeting has its passphrase and no group", async () => {
  const { channels, posted } = channelsFor(withPassphrase, "standard");
  const channel = await channels.open({ ...withPassphrase, breakout_id: "r1" });
  expect([channel.place, channel.group]).toEqual(["r1", null]);
  const packet = await channel.envelopes.seal(chatTopic, "ada", "hello");
  expect(await channel.envelopes.open(chatTopic, "ada", packet)).toBe("hello");
  expect([channels.group.get(), posted]).toEqual([null, []]);
});

test("a strict meeting has a group in each room, and the keys of none before the group is", async () => {
  const { channels, posted } = channelsFor(token, "strict");
  const main = await channels.open(token);
  const again = await channels.open(token);
  const breakout = await channels.open({ ...token, breakout_id: "r1" });
  expect([main.group, again.group]).toEqual([main.envelopes, main.group]);
  expect(breakout.group).not.toBe(main.group);
  expect(channels.group.get()?.state).toBe("starting");
  expect(posted.filter((type) => type === "enter")).toHaveLength(2);
  await expect(main.envelopes.seal(chatTopic, "ada", "hello")).rejects.toThrow("keys");
});

test("a strict meeting takes no passphrase, at the start or later", async () => {
  for (const seat of [token, withPassphrase]) {
    const { channels } = channelsFor(seat, "strict");
    const opening = channels.open(withPassphrase);
    await expect(opening).rejects.toEqual(new OtherKeys("downgraded"));
    await expect(opening).rejects.toMatchObject({ reason: "downgraded" });
  }
});

test("a strict meeting does not become a standard one because the service says so", () => {
  const { channels } = channelsFor(token, "strict");
  expect(channels.takeRoom({ id: "room", encryption: "strict" } as RoomInfo)).toBe(true);
  expect(channels.takeRoom({ id: "room", encryption: "standard" } as RoomInfo)).toBe(false);
});

test("a link with a secret leads to strict meetings only", async () => {
  const { channels } = channelsFor(withPassphrase, "standard", new Uint8Array(16));
  await expect(channels.open(withPassphrase)).rejects.toMatchObject({ reason: "downgraded" });
  expect(channels.takeRoom({ id: "room", encryption: "standard" } as RoomInfo)).toBe(false);
});

test("a seat without a passphrase is one in a strict meeting, whatever was known before", async () => {
  for (const known of ["standard", null] as const) {
    const { channels } = channelsFor(token, known);
    expect((await channels.open(token)).group).not.toBeNull();
    await expect(channels.open(withPassphrase)).rejects.toMatchObject({ reason: "downgraded" });
  }
});

test("a standard meeting whose passphrase is gone is over, so that the person joins again", async () => {
  const { channels } = channelsFor(withPassphrase, "standard");
  await expect(channels.open(token)).rejects.toMatchObject({ reason: "refused" });
});

test("the owner learns when the worker of the groups cannot be loaded", async () => {
  const { channels, posted, worker } = channelsFor(token, "strict");
  await channels.open(token);
  posted.length = 0;
  worker.onerror?.(new Event("error"));
  expect(posted).toEqual(["failed"]);
});

test("the groups start as soon as the room is known, with the places that were entered", async () => {
  const { channels, posted } = channelsFor(token, null);
  await channels.open(token);
  expect(posted).toEqual([]);
  channels.takeRoom({ id: "room", encryption: "strict" } as RoomInfo);
  channels.takeRoom({ id: "room", encryption: "strict" } as RoomInfo);
  expect(posted).toEqual(["start", "time", "enter", "part"]);
});
