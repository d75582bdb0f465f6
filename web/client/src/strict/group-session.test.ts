import { expect, test } from "vitest";
import { toBase64Url } from "../recording/base64url.js";
import { GroupWorld, type SimDevice } from "../testing/group-world.js";
import { newStatementKey, signStatement } from "../testing/played-delivery.js";
import { gatherTime } from "./group-moves.js";
import { newKeyPackage, newSignatureKeys } from "./mls-suite.js";

/** Devices that enter the main room one after the other. */
async function meet(seed: number, ...names: string[]) {
  const world = await GroupWorld.open(seed);
  const devices: SimDevice[] = [];
  for (const name of names) {
    const device = await world.add(name);
    device.enter(null);
    devices.push(device);
  }
  return { world, devices };
}

/** Whether these, and nobody else, are in one epoch of one group. */
function areOne(devices: readonly SimDevice[]): boolean {
  const [first] = devices;
  const names = devices.map(({ identity }) => identity).sort();
  return devices.every(
    ({ state }) =>
      state !== null &&
      state.groupId === first?.state?.groupId &&
      state.epoch === first.state.epoch &&
      state.members
        .map(({ identity }) => identity)
        .sort()
        .join() === names.join(),
  );
}

const together = (devices: readonly SimDevice[]) => () => areOne(devices);

test("devices that come at the same time found one group, and send in it", async () => {
  const { world, devices } = await meet(1, "c", "a", "b", "d");
  await world.until("one group", together(devices), 2500);
  const [first] = devices;
  await world.until(
    "everybody sends",
    () => devices.every(({ sending, state }) => sending?.epoch === state?.epoch),
    1500,
  );
  expect(new Set(devices.map(({ state }) => state?.code.digits.join())).size).toBe(1);
  expect(first?.state?.members).toHaveLength(4);
  expect(world.faults).toEqual([]);
});

test("joins are gathered: people who come together cost two commits", async () => {
  const { world, devices } = await meet(2, "a");
  await world.until("the first is in", together(devices));
  await world.pass(gatherTime);
  const epoch = devices[0]?.state?.epoch ?? 0;
  for (const name of ["b", "c", "d", "e"]) {
    const device = await world.add(name);
    device.enter(null);
    devices.push(device);
  }
  await world.until("all are in", together(devices), 2000);
  // The first of them is added at once, and the others after the time in which joins are gathered.
  expect(devices[0]?.state?.epoch).toBe(epoch + 2);
});

test("a device that leaves is removed at once", async () => {
  const { world, devices } = await meet(3, "a", "b", "c");
  await world.until("one group", together(devices));
  const [a, b, c] = devices as [SimDevice, SimDevice, SimDevice];
  world.drop(b);
  await world.until("b is out", together([a, c]), 250);
});

test("when the committer leaves, the next one removes it at once", async () => {
  const { world, devices } = await meet(4, "a", "b", "c");
  await world.until("one group", together(devices));
  const committer = devices.find(({ state, identity }) => state?.members[0]?.identity === identity);
  if (!committer) throw new Error("nobody has the first leaf");
  world.drop(committer);
  const rest = devices.filter((one) => one !== committer);
  await world.until("the committer is out", together(rest), 250);
});

test("when the committer does not answer, the next device commits", async () => {
  const { world, devices } = await meet(5, "a", "b", "c");
  await world.until("one group", together(devices));
  const committer = devices.find(({ state, identity }) => state?.members[0]?.identity === identity);
  committer?.sleep();
  const late = await world.add("d");
  late.enter(null);
  const awake = [...devices.filter((one) => one !== committer), late];
  await world.until("d is in", () => areAdded(awake, "d"), 2500);
});

const areAdded = (devices: readonly SimDevice[], name: string) =>
  devices.every(({ state }) => state?.members.some(({ identity }) => identity === name));

test("a reload brings a new key, and the same commit removes the old one", async () => {
  const { world, devices } = await meet(6, "a", "b", "c");
  await world.until("one group", together(devices));
  const [a, b] = devices as [SimDevice, SimDevice];
  const { epoch = 0, members = [] } = a.state ?? {};
  const before = members.find(({ identity }) => identity === "b")?.fingerprint.join();
  await b.reload();
  await world.until("b is back", together(devices), 1500);
  const after = a.state?.members.find(({ identity }) => identity === "b")?.fingerprint.join();
  expect(after).not.toBe(before);
  expect(a.state?.epoch).toBe(epoch + 1);
});

test("somebody counted as gone keeps the fingerprint when they come back", async () => {
  const { world, devices } = await meet(7, "a", "b", "c");
  await world.until("one group", together(devices));
  const [a, , c] = devices as [SimDevice, SimDevice, SimDevice];
  const print = () => a.state?.members.find(({ identity }) => identity === "b")?.fingerprint.join();
  const before = print();
  world.delivery.setPresent(null, "b", false);
  await world.until("b is out", together([a, c]), 1000);
  world.delivery.setPresent(null, "b", true);
  await world.until("b is back", together(devices), 4000);
  expect(print()).toBe(before);
});

test("a group ends when its last device leaves, and the next devices found another", async () => {
  const { world, devices } = await meet(8, "a", "b");
  await world.until("one group", together(devices));
  const [a, b] = devices as [SimDevice, SimDevice];
  const groupId = a.state?.groupId;
  world.drop(a);
  world.drop(b);
  const next = await world.add("c");
  next.enter(null);
  await world.until("c is alone", together([next]));
  expect(next.state?.groupId).not.toBe(groupId);
});

test("a breakout is a group of its own, with the same fingerprints", async () => {
  const { world, devices } = await meet(9, "a", "b", "c");
  await world.until("one group", together(devices));
  const [a, b, c] = devices as [SimDevice, SimDevice, SimDevice];
  const print = (device: SimDevice) =>
    device.state?.members.find(({ identity }) => identity === "b")?.fingerprint.join();
  const before = print(a);
  b.exit();
  b.enter("breakout");
  await world.until("b is alone there", together([b]));
  await world.until("the others are here", together([a, c]));
  expect(b.state?.groupId).not.toBe(a.state?.groupId);
  expect(print(b)).toBe(before);
});

test("a device that slept for an hour is back in seconds", async () => {
  const { world, devices } = await meet(10, "a", "b", "c");
  await world.until("one group", together(devices));
  const [a, b, c] = devices as [SimDevice, SimDevice, SimDevice];
  b.sleep();
  await world.pass(20_000);
  world.delivery.setPresent(null, "b", false);
  await world.until("b is out", together([a, c]), 1000);
  world.drop(c);
  const d = await world.add("d");
  d.enter(null);
  await world.pass(3_600_000);
  expect(areOne([a, d])).toBe(true);
  b.wake();
  await world.until("b is back", together([a, b, d]), 5000);
});

test("a device alone that slept finds the group that others have made meanwhile", async () => {
  const { world, devices } = await meet(11, "a");
  await world.until("a is alone", together(devices));
  const [a] = devices as [SimDevice];
  a.sleep();
  const b = await world.add("b");
  b.enter(null);
  world.delivery.setPresent(null, "a", false);
  await world.until("b has founded a group", together([b]), 2000);
  a.wake();
  await world.until("a is in it", together([a, b]), 5000);
});

test("a device that cannot follow its group stops sending until it can", async () => {
  const { world, devices } = await meet(12, "a", "b", "c");
  await world.until("one group", together(devices));
  await world.pass(2000);
  const [a, b, c] = devices as [SimDevice, SimDevice, SimDevice];
  expect(b.sending?.epoch).toBe(a.state?.epoch);
  b.isCutOff = true;
  world.drop(c);
  await world.pass(2000);
  expect(a.state?.members.map(({ identity }) => identity).sort()).toEqual(["a", "b"]);
  expect(a.sending?.epoch).toBe(a.state?.epoch);
  expect(b.sending).toBeNull();
  b.isCutOff = false;
  await world.until("b is up to date", together([a, b]), 15_000);
  await world.until("b sends", () => b.sending?.epoch === a.state?.epoch, 1500);
});

test("a device that stopped sending does not go on when it hears of another place", async () => {
  const { world, devices } = await meet(14, "a", "b", "c");
  await world.until("one group", together(devices));
  await world.pass(2000);
  const [, b, c] = devices as [SimDevice, SimDevice, SimDevice];
  b.isCutOff = true;
  world.drop(c);
  await world.pass(2000);
  expect(b.sending).toBeNull();
  const part = world.delivery.partFor(null, "b");
  b.session?.update(part && { ...part, place: "another" });
  await world.pass(2000);
  expect(b.sending).toBeNull();
  b.session?.update(null);
  await world.pass(2000);
  expect(b.sending).toBeNull();
});

test("a group goes on after the service was gone for a while", async () => {
  const { world, devices } = await meet(13, "a", "b");
  await world.until("one group", together(devices));
  world.isServiceDown = true;
  const late = await world.add("c");
  late.enter(null);
  await world.pass(20_000);
  expect(late.state).toBeNull();
  expect(areOne(devices)).toBe(true);
  world.isServiceDown = false;
  world.retell();
  await world.until("c is in", together([...devices, late]), 12_000);
});

test("an answer that is lost after the commit was taken changes nothing", async () => {
  for (let seed = 20; seed < 30; seed += 1) {
    const { world, devices } = await meet(seed, "a", "b", "c");
    world.weather = { lost: 0.3, repeated: 0.3, slowest: 200 };
    await world.pass(10_000);
    world.weather = { lost: 0, repeated: 0, slowest: 30 };
    world.retell();
    await world.until(`seed ${seed}: one group`, together(devices), 30_000);
    expect(world.faults).toEqual([]);
  }
});

test("a device that the service invents, without a valid statement, is not added", async () => {
  const { world, devices } = await meet(14, "a", "b");
  await world.until("one group", together(devices));
  const keys = await newSignatureKeys();
  const forged = await signStatement(await newStatementKey(), keys.publicKey, { identity: "x" });
  const { bytes } = await newKeyPackage(forged, keys);
  world.delivery.setPresent(null, "x", true);
  world.delivery.sendKeyPackage(null, "x", toBase64Url(bytes));
  const stolen = await signStatement(world.delivery.key, keys.publicKey, { identity: "y" });
  const { bytes: others } = await newKeyPackage(stolen, await newSignatureKeys());
  world.delivery.setPresent(null, "y", true);
  world.delivery.sendKeyPackage(null, "y", toBase64Url(others));
  const honest = await world.add("z");
  honest.enter(null);
  await world.until("z is in", together([...devices, honest]));
  await world.pass(10_000);
  expect(areOne([...devices, honest])).toBe(true);
});

test("a commit that the service limits is sent again, without a message to people", async () => {
  const { world, devices } = await meet(17, "a", "b");
  await world.until("one group", together(devices));
  world.delivery.isBusy = true;
  const c = await world.add("c");
  c.enter(null);
  await world.pass(10_000); // the longest that the service refuses them
  expect(c.state).toBeNull();
  world.delivery.isBusy = false;
  await world.until("c is in", together([...devices, c]), 10_000);
  expect([...devices, c].flatMap(({ troubles }) => troubles)).toEqual([]);
  expect(world.faults).toEqual([]);
});

test("with a link secret a device that lacks it gets no keys, and says why", async () => {
  const world = await GroupWorld.open(15);
  const secret = new Uint8Array(16).fill(3);
  const devices = await Promise.all(["a", "b", "x"].map((name) => world.add(name)));
  const [a, b, x] = devices as [SimDevice, SimDevice, SimDevice];
  for (const device of [a, b]) {
    device.linkSecret = secret;
    device.enter(null);
  }
  await world.until("one group", together([a, b]));
  x.enter(null);
  await world.pass(20_000);
  expect(x.state).toBeNull();
  expect(x.installed.size).toBe(0);
  expect(x.troubles.map(({ reason }) => reason)).toEqual(["link_secret"]);
  expect(a.state?.epoch).toBe(b.state?.epoch);
  world.drop(x);
  await world.until("x is out", together([a, b]));
});

test("old keys are erased, and a closed session has none", async () => {
  const { world, devices } = await meet(16, "a", "b");
  await world.until("one group", together(devices));
  const [a, b] = devices as [SimDevice, SimDevice];
  const c = await world.add("c");
  c.enter(null);
  await world.until("c is in", together([a, b, c]));
  await world.pass(11_000);
  const epochs = new Set([...a.installed.keys()].map((name) => name.split(" ")[1]));
  expect(epochs.size).toBe(1);
  a.session?.close();
  expect(a.installed.size).toBe(0);
});
