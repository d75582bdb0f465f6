import { expect, test } from "vitest";
import { chatTopic } from "../envelope.js";
import { type PlayedDevice, playGroups, viewed } from "../testing/played-groups.js";
import { epochTopic } from "./group-protocol.js";

const secureWith =
  (...names: readonly string[]) =>
  ({ state, epoch }: ReturnType<PlayedDevice["groups"]["view"]["get"]>) =>
    state === "secure" &&
    JSON.stringify(epoch?.members.map(({ identity }) => identity).sort()) ===
      JSON.stringify([...names].sort());

test("two devices come into one group, see one code, and open each other's messages", async () => {
  const { add } = await playGroups();
  const [ada, bob] = [add("ada"), add("bob")];
  expect(ada.groups.view.get()).toEqual({ state: "starting", trouble: null, epoch: null });
  const [adas, bobs] = [ada.goTo(null), bob.goTo(null)];
  await Promise.all([ada, bob].map((one) => viewed(one, secureWith("ada", "bob"))));
  const codes = [ada, bob].map(({ groups }) => groups.view.get().epoch?.code);
  expect(codes[0]).toEqual(codes[1]);
  const packet = await adas.seal(chatTopic, "ada", "hello");
  expect(await bobs.open(chatTopic, "ada", packet)).toBe("hello");
});

test("a device that stays sends without a gap while others come", async () => {
  const { add } = await playGroups();
  const ada = add("ada");
  const keys = ada.goTo(null);
  await viewed(ada, secureWith("ada"));
  const log: string[] = [];
  keys.follow({
    install: () => {},
    send: (own) => log.push(own ? "sends" : "sends nothing"),
    erase: () => {},
  });
  for (const name of ["bob", "cem", "dot"]) {
    const other = add(name);
    other.goTo(null);
    await viewed(other, ({ state }) => state === "secure");
  }
  await viewed(ada, secureWith("ada", "bob", "cem", "dot"));
  expect(new Set(log)).toEqual(new Set(["sends"]));
});

test("in a move the device enters the new group while it is in the old one", async () => {
  const { add, delivery } = await playGroups();
  const [ada, bob] = [add("ada"), add("bob")];
  const main = ada.goTo(null);
  bob.goTo(null);
  await viewed(ada, secureWith("ada", "bob"));
  const breakout = ada.groups.enter("r1");
  delivery.setPresent("r1", "ada", true);
  await new Promise<void>((resolve) => {
    breakout.follow({
      install: () => {},
      send: (own) => own && resolve(),
      erase: () => {},
    });
  });
  expect([main.isSending, breakout.isSending]).toEqual([true, true]);
  expect(secureWith("ada", "bob")(ada.groups.view.get())).toBe(true);
  ada.groups.arrived("r1");
  await viewed(ada, secureWith("ada"));
  expect([main.isSending, breakout.isSending]).toEqual([false, true]);
});

test("a device that becomes reachable gets the acknowledgement again", async () => {
  const { add } = await playGroups();
  const [ada, bob] = [add("ada"), add("bob")];
  bob.isConnected = false;
  ada.goTo(null);
  bob.goTo(null);
  await viewed(ada, ({ epoch }) => epoch?.members.length === 2);
  await viewed(bob, ({ epoch }) => epoch?.members.length === 2);
  const before = performance.now();
  bob.isConnected = true;
  bob.groups.arrived(null);
  ada.groups.reachable(null, "bob");
  await Promise.all([ada, bob].map((one) => viewed(one, secureWith("ada", "bob"))));
  expect(performance.now() - before).toBeLessThan(500); // and not after the second of patience
});

test("a malformed acknowledgement is dropped", async () => {
  const { add } = await playGroups();
  const ada = add("ada");
  ada.goTo(null);
  await viewed(ada, secureWith("ada"));
  for (const text of ["", "{}", '{"group_id":1,"epoch":"x"}', "x".repeat(1000)]) {
    ada.groups.receive(null, "eve", "conclave.epoch", new TextEncoder().encode(text));
  }
  expect(secureWith("ada")(ada.groups.view.get())).toBe(true);
});

test("a device learns that others are in a later epoch than the event stream shows", async () => {
  const { add } = await playGroups();
  const [ada, bob] = [add("ada"), add("bob")];
  ada.goTo(null);
  bob.goTo(null);
  await Promise.all([ada, bob].map((one) => viewed(one, secureWith("ada", "bob"))));
  const { update } = bob.groups;
  bob.groups.update = () => {}; // his stream is dead
  const before = bob.overtaken;
  add("cem").goTo(null);
  await viewed(ada, secureWith("ada", "bob", "cem"));
  expect(bob.overtaken).toBeGreaterThan(before);
  bob.groups.update = update;
});

test("acknowledgements of this epoch, of earlier ones, and of other groups tell of nothing later", async () => {
  const { add } = await playGroups();
  const [ada, bob] = [add("ada"), add("bob")];
  ada.goTo(null);
  bob.goTo(null);
  await Promise.all([ada, bob].map((one) => viewed(one, secureWith("ada", "bob"))));
  const { groupId = "", epoch = 0 } = ada.groups.view.get().epoch ?? {};
  const before = ada.overtaken;
  const hear = (place: string | null, said: object) =>
    ada.groups.receive(place, "bob", epochTopic, new TextEncoder().encode(JSON.stringify(said)));
  hear(null, { group_id: groupId, epoch });
  hear(null, { group_id: groupId, epoch: epoch - 1 });
  hear(null, { group_id: "another", epoch: epoch + 1 });
  hear("r1", { group_id: groupId, epoch: epoch + 1 });
  expect(ada.overtaken).toBe(before);
  hear(null, { group_id: groupId, epoch: epoch + 1 });
  expect(ada.overtaken).toBe(before + 1);
});

test("without its worker the device sends nothing, and says so", async () => {
  const { add } = await playGroups();
  const ada = add("ada");
  const keys = ada.goTo(null);
  await viewed(ada, secureWith("ada"));
  ada.port.onerror?.call(ada.port as Worker, { message: "out of memory" } as ErrorEvent);
  expect(ada.groups.view.get()).toEqual({
    state: "trouble",
    trouble: { reason: "worker", detail: "out of memory" },
    epoch: null,
  });
  expect([keys.isSending, ada.hasNoWorker]).toEqual([false, false]);
});

test("a worker that cannot be loaded is reported, so that the meeting ends", async () => {
  const { add } = await playGroups();
  const ada = add("ada");
  const keys = ada.goTo(null);
  ada.port.onerror?.call(ada.port as Worker, new Event("error") as ErrorEvent);
  expect([keys.isSending, ada.hasNoWorker]).toEqual([false, true]);
});

test("at the end every key is erased", async () => {
  const { add } = await playGroups();
  const ada = add("ada");
  const keys = ada.goTo(null);
  await viewed(ada, secureWith("ada"));
  const log: string[] = [];
  keys.follow({
    install: () => {},
    send: (own) => log.push(own ? "sends" : "sends nothing"),
    erase: (_index, identities) => log.push(`erases ${identities.join()}`),
  });
  ada.groups.close();
  expect(log).toEqual(["sends", "sends nothing", "erases ada"]);
  expect(keys.isSending).toBe(false);
});

test("a flood of questions is answered a few times only", async () => {
  const { add } = await playGroups();
  const [ada, eve] = [add("ada"), add("eve")];
  ada.goTo(null);
  eve.goTo(null);
  await Promise.all([ada, eve].map((one) => viewed(one, secureWith("ada", "eve"))));
  const { groupId = "", epoch = 0 } = ada.groups.view.get().epoch ?? {};
  const question = JSON.stringify({ group_id: groupId, epoch, reply: true });
  let answers = 0;
  const { receive } = eve.groups;
  eve.groups.receive = (...packet) => {
    answers += 1;
    receive.apply(eve.groups, packet);
  };
  for (let time = 0; time < 1000; time += 1) {
    ada.groups.receive(null, "eve", epochTopic, new TextEncoder().encode(question));
  }
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThanOrEqual(20);
});
