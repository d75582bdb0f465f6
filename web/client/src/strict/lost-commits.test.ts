/** A service that has lost what it accepted, as after a failover or a restored backup. */
import { expect, test } from "vitest";
import { GroupWorld, type SimDevice } from "../testing/group-world.js";
import { refusal } from "../testing/played-delivery.js";

/** Three people in one group, and the service's copy of it from before a fourth comes. */
async function meet(seed: number) {
  const world = await GroupWorld.open(seed);
  const come = async (identity: string): Promise<SimDevice> => {
    const device = await world.add(identity);
    device.enter(null);
    return device;
  };
  const ada = await come("a-ada");
  const bob = await come("b-bob");
  const eve = await come("c-eve");
  const areIn = (...devices: readonly SimDevice[]) => {
    const part = world.delivery.partFor(null, "a-ada");
    return devices.every(
      ({ state, sending }) =>
        sending?.epoch === part?.epoch &&
        state?.epoch === part?.epoch &&
        state?.groupId === part?.group_id &&
        state?.members.length === devices.length,
    );
  };
  await world.until("three are in one group", () => areIn(ada, bob, eve));
  await world.pass(1000);
  const refused = (...devices: readonly SimDevice[]) =>
    devices.flatMap(({ troubles }) => troubles.filter(({ reason }) => reason === "refused"));
  return { world, come, ada, bob, eve, areIn, refused };
}

test("people whose newest commit the service has lost are together again", async () => {
  const { world, come, ada, bob, eve, areIn } = await meet(1);
  const dan = await world.add("d-dan");
  world.delivery.setPresent(null, "d-dan", true);
  const restore = world.delivery.backUp(null);
  dan.enter(null);
  await world.until("Dan is in", () => areIn(ada, bob, eve, dan));
  restore();
  await world.until("four are together", () => areIn(ada, bob, eve, dan), 8000);
  expect(ada.troubles.at(-1)?.reason).toBe("lost");
  const fred = await come("e-fred");
  await world.until("Fred comes in, too", () => areIn(ada, bob, eve, dan, fred), 3000);
  expect(world.faults).toEqual([]);
});

test("a device that alone has a lost commit joins those who do not", async () => {
  const { world, ada, bob, eve, areIn, refused } = await meet(2);
  const restore = world.delivery.backUp(null);
  const group = ada.state?.groupId;
  bob.sleep();
  eve.sleep();
  const dan = await world.add("d-dan");
  dan.enter(null);
  await world.until("Ada has added Dan", () => dan.state !== null);
  restore();
  world.delivery.setPresent(null, "d-dan", true);
  bob.wake();
  eve.wake();
  await world.until("four are together", () => areIn(ada, bob, eve, dan), 8000);
  expect(ada.state?.groupId).toBe(group);
  expect(refused(ada, bob, eve, dan)).toEqual([]);
});

test("a device with a lost commit does not blame who made the one after it", async () => {
  const { world, ada, bob, eve, areIn, refused } = await meet(3);
  const restore = world.delivery.backUp(null);
  bob.sleep();
  eve.sleep();
  const dan = await world.add("d-dan");
  dan.enter(null);
  await world.until("Ada has added Dan", () => dan.state !== null);
  world.drop(dan);
  ada.sleep();
  restore();
  bob.wake();
  eve.wake();
  world.delivery.forget(null, "d-dan");
  const fred = await world.add("e-fred");
  fred.enter(null);
  await world.until("Bob has added Fred", () => fred.state !== null);
  const { epoch = 0 } = fred.state ?? {};
  const gina = await world.add("f-gina");
  gina.enter(null);
  await world.until("there is another epoch", () => (fred.state?.epoch ?? 0) > epoch);
  ada.wake();
  await world.until("all are together", () => areIn(ada, bob, eve, fred, gina), 8000);
  expect(refused(ada, bob, eve, fred, gina)).toEqual([]);
});

test("many large commits do not hide one that nobody can take", async () => {
  const { world, ada, bob, eve, areIn, refused } = await meet(6);
  const { delivery } = world;
  await world.pass(60_000);
  eve.sleep();
  const send = (commit: string) => {
    const { group_id, epoch = 0 } = delivery.partFor(null, "c-eve") ?? {};
    const said = { check: "A".repeat(43), link: null, adds: [], removes: [] };
    const message = { group_id: group_id ?? "", epoch, commit, welcome: null };
    return delivery.commit(null, "c-eve", { ...message, ...said });
  };
  await send("AAAA");
  for (let time = 0; time < 9; time += 1) await send("A".repeat(2 << 20));
  await world.until("Ada and Bob have left her alone", () => areIn(ada, bob), 10_000);
  expect(refused(ada, bob)).toHaveLength(2);
  delivery.sendKeyPackage(null, "c-eve", "AAAA");
  expect(delivery.partFor(null, "a-ada")?.waiting).toEqual([]);
});

/** The streams show the epoch before the present one, until the returned function is called. */
function delayStreams(world: GroupWorld): () => void {
  const { delivery } = world;
  const { partFor } = delivery;
  delivery.partFor = (...of) => {
    const part = partFor.apply(delivery, of);
    return part && { ...part, epoch: part.epoch - 1 };
  };
  world.retell();
  return () => {
    delivery.partFor = partFor;
    world.retell();
  };
}

test("a device whose stream stays late asks less and less often", async () => {
  const { world, ada, areIn } = await meet(4);
  const { delivery } = world;
  const { messages } = delivery;
  const asked: string[] = [];
  delivery.messages = (...of) => {
    asked.push(of[1]);
    return messages.apply(delivery, of);
  };
  const catchUp = delayStreams(world);
  await world.pass(60_000);
  const often = asked.filter((one) => one === "a-ada").length;
  expect(often).toBeGreaterThan(2);
  expect(often).toBeLessThan(15);
  catchUp();
  await world.until("they are together as before", () => areIn(...world.devices), 3000);
  expect(ada.troubles).toEqual([]);
});

test("after a late stream, what fails once is tried again soon", async () => {
  const { world, come, ada, bob, eve, areIn } = await meet(5);
  const { delivery } = world;
  const catchUp = delayStreams(world);
  await world.pass(60_000);
  catchUp();
  await world.pass(1000);
  const { commit } = delivery;
  const failed = new Set<string>();
  delivery.commit = async (...of) => {
    const isFirst = !failed.has(of[1]);
    failed.add(of[1]);
    if (isFirst) throw refusal(503, "unavailable");
    return commit.apply(delivery, of);
  };
  const dan = await come("d-dan");
  await world.until("Dan is in", () => areIn(ada, bob, eve, dan), 2500);
  expect(failed).toContain("a-ada");
});
