import {
  type BaseKeyProvider,
  KeyProviderEvent,
  Room,
  RoomEvent,
  setLogLevel,
} from "livekit-client";
import { afterEach, expect, test, vi } from "vitest";
import { GroupKeys, PassphraseKeys } from "./media-keys.js";
import { PlaceKeys } from "./strict/place-keys.js";
import { epochRef, newKeys } from "./testing/epoch-fixture.js";
import { HandClock } from "./testing/hand-clock.js";
import type { MediaToken } from "./wire.js";

afterEach(() => vi.unstubAllGlobals());

/** The keys of Ada's connection, and what the media library is told to do with them. */
async function playAda() {
  const place = new PlaceKeys("ada", new HandClock());
  const named = new Map<CryptoKey, string>();
  const log: string[] = [];
  const keys = new GroupKeys(place, {
    onInstall: () => log.push("subscribe"),
    onMaySend: () => log.push(keys.maySend ? "may send" : "may not send"),
  });
  const { e2ee } = keys.encryption({} as Worker);
  const provider = (e2ee as { keyProvider: BaseKeyProvider }).keyProvider;
  provider.on(KeyProviderEvent.SetKey, ({ key, participantIdentity, keyIndex }, isOwn) => {
    const what = named.get(key) ?? "noise";
    log.push(`${participantIdentity}@${keyIndex} ${what}${isOwn ? ", sends" : ""}`);
  });
  const install = async (group: string, epoch: number, ...identities: readonly string[]) => {
    const installed = await newKeys(...identities);
    for (const { identity, media } of installed) named.set(media, `${identity} in ${epoch}`);
    place.install(epochRef(group, epoch), installed);
  };
  const taken = () => log.splice(0);
  return { place, keys, provider, install, taken };
}

test("the keys of others are set as they come, and one's own when the device sends with it", async () => {
  const { place, keys, install, taken } = await playAda();
  await keys.prepare();
  await install("g", 1, "ada", "bob");
  expect(taken()).toEqual(["bob@1 bob in 1", "subscribe"]);
  expect(keys.maySend).toBe(false);
  place.send(epochRef("g", 1));
  expect(taken()).toEqual(["ada@1 ada in 1, sends", "may send"]);
});

test("while the others get ready, one goes on sending with the epoch before", async () => {
  const { place, keys, install, taken } = await playAda();
  await keys.prepare();
  await install("g", 1, "ada", "bob");
  place.send(epochRef("g", 1));
  taken();
  await install("g", 2, "ada", "bob", "eve");
  expect(taken()).toEqual(["bob@2 bob in 2", "eve@2 eve in 2", "subscribe"]);
  place.send(epochRef("g", 2));
  expect(taken()).toEqual(["ada@2 ada in 2, sends"]);
  place.erase(epochRef("g", 1));
  expect(taken()).toEqual(["ada@1 noise", "bob@1 noise"]);
});

test("a device that may not send encrypts with a key that nobody has", async () => {
  const { place, keys, install, taken } = await playAda();
  await keys.prepare();
  await install("g", 1, "ada", "bob");
  place.send(epochRef("g", 1));
  taken();
  place.send(null);
  expect(taken()).toEqual(["ada@1 noise, sends", "may not send"]);
  place.send(epochRef("g", 1));
  expect(taken()).toEqual(["ada@1 ada in 1, sends", "may send"]);
});

test("a connection that is made later has all keys before it connects", async () => {
  const { place, keys, install, taken } = await playAda();
  await install("g", 1, "ada", "bob");
  await install("g", 2, "ada", "bob");
  place.send(epochRef("g", 1));
  expect(taken()).toEqual([]);
  await keys.prepare();
  expect(taken()).toEqual([
    ...["bob@1 bob in 1", "subscribe", "bob@2 bob in 2", "subscribe"],
    ...["ada@1 ada in 1, sends", "may send"],
  ]);
});

test("the media library tries every frame, and never derives a key by itself", async () => {
  const { provider } = await playAda();
  expect(provider.getOptions()).toMatchObject({
    ...{ sharedKey: false, ratchetWindowSize: 0, failureTolerance: -1 },
    ...{ keyringSize: 256, keySize: 256 },
  });
});

test("somebody's key is lacking only when this device has keys of others", async () => {
  const { keys, install } = await playAda();
  await keys.prepare();
  expect([keys.open("bob"), keys.lack("bob")]).toEqual([false, false]);
  await install("g", 1, "ada", "bob");
  expect([keys.open("bob"), keys.lack("bob")]).toEqual([true, false]);
  expect([keys.open("eve"), keys.lack("eve")]).toEqual([false, true]);
});

test("the worker makes the key of a passphrase once, however many people publish", async () => {
  setLogLevel("silent");
  vi.stubGlobal("window", { RTCRtpScriptTransform: class {} });
  const told: unknown[] = [];
  const worker = {
    onmessage: (_: { data: object }) => {},
    postMessage: ({ kind }: { kind: string }) => told.push(kind),
  };
  const keys = new PassphraseKeys();
  const room = new Room(keys.encryption(worker as unknown as Worker));
  await keys.prepare({ e2ee_passphrase: "correct horse" } as MediaToken);
  room.emit(RoomEvent.SignalConnected);
  for (const kind of ["initAck", "enable", "enable", "enable"]) {
    worker.onmessage({ data: { kind, data: { enabled: true } } });
  }
  expect(told.filter((kind) => kind === "setKey")).toHaveLength(1);
  expect(told.indexOf("setKey")).toBeGreaterThan(told.indexOf("init"));
});
