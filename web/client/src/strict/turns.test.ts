/** Who makes the next group of a place, when somebody makes groups that are of no use. */
import { expect, test } from "vitest";
import { toBase64Url } from "../recording/base64url.js";
import { ServiceError } from "../service-error.js";
import { ForeignFounder } from "../testing/foreign-founder.js";
import type { SimDevice } from "../testing/group-world.js";
import { mlsDevices } from "../testing/mls-devices.js";
import { openWorld } from "../testing/open-world.js";

test("a device that ends its group before others refuse it, and makes another, is left alone", async () => {
  const { world, come, areTogether } = await openWorld(9);
  const { delivery } = world;
  const makeGroup = () => {
    const id = toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
    delivery.create(null, "a-mallory", id);
  };
  delivery.setPresent(null, "a-mallory", true);
  makeGroup();
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  /** Ends her group and asks for another. Returns why she gets none. */
  const again = async () => {
    await world.pass(18_000); // the others refuse a group after 20 seconds
    delivery.sendKeyPackage(null, "a-mallory", "AAAA");
    try {
      makeGroup();
    } catch (error) {
      return error instanceof ServiceError ? error.code : "";
    }
    return "none";
  };
  expect(await again()).toBe("not_in_group");
  await world.until("Ada and Bob are in one group", () => areTogether(ada, bob), 5000);
  for (let time = 0; time < 3; time += 1) expect(await again()).toBe("group_exists");
  expect(areTogether(ada, bob)).toBe(true);
});

test("an accomplice that is ahead of all and makes no group keeps nobody apart", async () => {
  const { world, come, areTogether } = await openWorld(15);
  const { delivery } = world;
  const announce = (identity: string) => delivery.sendKeyPackage(null, identity, "AAAA");
  for (const one of ["a-mallory", "z-idle"]) delivery.setPresent(null, one, true);
  announce("z-idle");
  const makeGroup = () => {
    const id = toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
    delivery.create(null, "a-mallory", id);
  };
  makeGroup();
  announce("a-mallory"); // and so ends it
  await world.pass(10_000);
  makeGroup();
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  await world.pass(18_000); // the others refuse a group after 20 seconds
  announce("a-mallory");
  await world.pass(9_999);
  expect(makeGroup).toThrow("not_in_group");
  await world.pass(1);
  expect(makeGroup).toThrow("not_in_group"); // and not a moment later, when the others may
  await world.until("Ada and Bob are in one group", () => areTogether(ada, bob), 8000);
});

const three = ["b-ada", "c-bob", "d-carol"];

test("accomplices who make useless groups in turn keep nobody apart", async () => {
  const { world, come, areTogether } = await openWorld(13);
  const devices = await mlsDevices();
  world.delivery.key = devices.service;
  let names = 0;
  const next = () => {
    names += 1;
    return new ForeignFounder(world, devices, `a-mallory-${names}`);
  };
  const founders = [next(), next()];
  for (const one of founders) await one.found();
  const people: SimDevice[] = [];
  for (const name of three) people.push(await come(name));
  for (let time = 0; time < 200 && !areTogether(...people); time += 1) {
    for (const [i, one] of founders.entries()) {
      await one.found();
      await one.add(three);
      if (!one.isOver) continue;
      one.leave(); // and comes again under another name
      founders[i] = next();
    }
    await world.pass(50);
  }
  expect(areTogether(...people)).toBe(true);
  expect(names).toBeGreaterThan(3);
});

test("a device that leaves its group before others refuse it does not make the next", async () => {
  const { world, come, areTogether } = await openWorld(14);
  const devices = await mlsDevices();
  world.delivery.key = devices.service;
  const mallory = new ForeignFounder(world, devices, "a-mallory");
  await mallory.found();
  const people: SimDevice[] = [];
  for (const name of three) people.push(await come(name));
  let added = 0;
  for (let time = 0; time < 200 && !areTogether(...people); time += 1) {
    await mallory.found();
    if (await mallory.add(three)) {
      added += 1;
      mallory.wait();
    }
    await world.pass(50);
  }
  expect(areTogether(...people)).toBe(true);
  expect(added).toBe(1);
});

test("a device that was late with its refusal makes the next group, though another one idles", async () => {
  const { world, come, areTogether } = await openWorld(16);
  const devices = await mlsDevices();
  world.delivery.key = devices.service;
  const mallory = new ForeignFounder(world, devices, "a-mallory");
  await mallory.found();
  const [ada, bob, carol] = [await come("b-ada"), await come("c-bob"), await come("d-carol")];
  await world.until(
    "all of them wait",
    () => world.delivery.partFor(null, "a-mallory")?.waiting.length === three.length,
  );
  carol.sleep();
  expect(await mallory.add(three)).toBe(true);
  await world.pass(1000);
  mallory.leave();
  expect(world.delivery.partFor(null, "b-ada")?.group_id).toBeNull();
  world.delivery.setPresent(null, "z-idle", true);
  for (const one of [ada, bob]) world.drop(one);
  carol.wake();
  await world.until("Carol is in a group", () => areTogether(carol), 15_000);
});
