import { expect, test } from "vitest";
import { chatTopic } from "../envelope.js";
import { epochRef, newKeys } from "../testing/epoch-fixture.js";
import { HandClock } from "../testing/hand-clock.js";
import { PlaceKeys } from "./place-keys.js";

/** The keys of Ada's and of Bob's device, in the same group. */
function playTwo() {
  const clock = new HandClock();
  const ada = new PlaceKeys("ada", clock);
  const bob = new PlaceKeys("bob", clock);
  const enter = async (group: string, epoch: number, ...devices: readonly PlaceKeys[]) => {
    const keys = await newKeys("ada", "bob");
    for (const device of devices) device.install(epochRef(group, epoch), keys);
    return () => {
      for (const device of devices) device.send(epochRef(group, epoch));
    };
  };
  return { clock, ada, bob, enter };
}

test("nothing is sealed before the first epoch, nor when the device may not send", async () => {
  const { ada, bob, enter } = playTwo();
  await expect(ada.seal(chatTopic, "ada", "hello")).rejects.toThrow("keys");
  const send = await enter("g", 1, ada, bob);
  await expect(ada.seal(chatTopic, "ada", "hello")).rejects.toThrow("keys");
  send();
  const packet = await ada.seal(chatTopic, "ada", "hello");
  expect(await bob.open(chatTopic, "ada", packet)).toBe("hello");
  ada.send(null);
  await expect(ada.seal(chatTopic, "ada", "hello")).rejects.toThrow("keys");
});

test("a message of the epoch before opens until that epoch is erased", async () => {
  const { clock, ada, bob, enter } = playTwo();
  (await enter("g", 1, ada, bob))();
  const packet = await ada.seal(chatTopic, "ada", "hello");
  (await enter("g", 2, ada, bob))();
  expect(await bob.open(chatTopic, "ada", packet)).toBe("hello");
  bob.erase(epochRef("g", 1));
  const opening = bob.open(chatTopic, "ada", packet);
  await clock.started();
  clock.pass(10_000);
  expect(await opening).toBeNull();
});

test("nobody seals as somebody else, and no message is passed on as another sender's", async () => {
  const { ada, bob, enter } = playTwo();
  (await enter("g", 1, ada, bob))();
  const packet = await ada.seal(chatTopic, "ada", "hello");
  expect(await bob.open(chatTopic, "bob", packet)).toBeNull();
  expect(await bob.open(chatTopic, "eve", packet)).toBeNull();
});

test("a message of an epoch that is about to come is kept until it is there", async () => {
  const { clock, ada, bob, enter } = playTwo();
  (await enter("g", 1, ada, bob))();
  const keys = await newKeys("ada", "bob");
  ada.install(epochRef("g", 2), keys);
  ada.send(epochRef("g", 2));
  const opening = bob.open(chatTopic, "ada", await ada.seal(chatTopic, "ada", "early"));
  await clock.started();
  bob.install(epochRef("g", 2), keys);
  expect(await opening).toBe("early");
});

test("many messages of unknown epochs do not displace another sender's early message", async () => {
  const { clock, ada, bob, enter } = playTwo();
  (await enter("g", 1, ada, bob))();
  const keys = await newKeys("ada", "bob");
  ada.install(epochRef("g", 2), keys);
  ada.send(epochRef("g", 2));
  const packet = await ada.seal(chatTopic, "ada", "early");
  const nonsense = new Uint8Array(100).fill(2);
  for (let count = 0; count < 100; count += 1) void bob.open(chatTopic, "eve", nonsense);
  const opening = bob.open(chatTopic, "ada", packet);
  await clock.started();
  bob.install(epochRef("g", 2), keys);
  expect(await opening).toBe("early");
});

test("twenty messages of an unknown epoch are kept of one sender, and no more", async () => {
  const { ada, bob, enter } = playTwo();
  (await enter("g", 1, ada, bob))();
  const keys = await newKeys("ada", "bob");
  ada.install(epochRef("g", 2), keys);
  ada.send(epochRef("g", 2));
  const texts = Array.from({ length: 21 }, (_, index) => `text ${index}`);
  const packets = await Promise.all(texts.map((text) => ada.seal(chatTopic, "ada", text)));
  const opening = packets.map((packet) => bob.open(chatTopic, "ada", packet));
  expect(await opening.at(-1)).toBeNull();
  bob.install(epochRef("g", 2), keys);
  expect(await Promise.all(opening.slice(0, -1))).toEqual(texts.slice(0, -1));
});

test("the others in the epoch that a device sends with can read what it sends", async () => {
  const { ada, bob, enter } = playTwo();
  const send = await enter("g", 1, ada, bob);
  expect([...ada.readers]).toEqual([]);
  send();
  expect([...ada.readers]).toEqual(["bob"]);
  ada.send(null);
  expect([...ada.readers]).toEqual([]);
});

test("a message of an epoch that never comes is given up after ten seconds", async () => {
  const { clock, ada, bob, enter } = playTwo();
  (await enter("g", 5, ada))();
  const opening = bob.open(chatTopic, "ada", await ada.seal(chatTopic, "ada", "lost"));
  await clock.started();
  clock.pass(10_000);
  expect(await opening).toBeNull();
});

test("the next group's epochs begin again, and replace those of the group before", async () => {
  const { ada, bob, enter } = playTwo();
  (await enter("old", 1, ada, bob))();
  const fromOld = await ada.seal(chatTopic, "ada", "old");
  (await enter("new", 1, ada, bob))();
  const fromNew = await ada.seal(chatTopic, "ada", "new");
  expect(await bob.open(chatTopic, "ada", fromOld)).toBeNull();
  expect(await bob.open(chatTopic, "ada", fromNew)).toBe("new");
});

test("a sender who is not in a new epoch loses the old key at its index", async () => {
  const keys = new PlaceKeys("ada", new HandClock());
  const erased: string[] = [];
  keys.follow({
    install: () => {},
    send: () => {},
    erase: (index, identities) => erased.push(`${index} ${identities.join()}`),
  });
  keys.install(epochRef("old", 3), await newKeys("ada", "eve"));
  keys.install(epochRef("new", 3), await newKeys("ada", "bob"));
  expect(erased).toEqual(["3 eve"]);
  expect([keys.knows("bob"), keys.knows("eve")]).toEqual([true, false]);
});

test("a follower that comes later gets the installed keys", async () => {
  const keys = new PlaceKeys("ada", new HandClock());
  keys.install(epochRef("g", 1), await newKeys("ada", "bob"));
  keys.install(epochRef("g", 2), await newKeys("ada", "bob"));
  keys.send(epochRef("g", 1));
  const log: string[] = [];
  keys.follow({
    install: ({ epoch }) => log.push(`install ${epoch}`),
    send: (own) => log.push(`send ${own?.index ?? "nothing"}`),
    erase: (index) => log.push(`erase ${index}`),
  });
  expect(log.splice(0)).toEqual(["install 1", "install 2", "send 1"]);
  keys.close();
  expect(log).toEqual(["send nothing", "erase 1", "erase 2"]);
});
