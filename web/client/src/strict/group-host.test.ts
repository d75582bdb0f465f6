import { expect, test } from "vitest";
import { browserClock } from "../clock.js";
import { Mailbox } from "../testing/mailbox.js";
import { newStatementKey, PlayedDelivery } from "../testing/played-delivery.js";
import { GroupHost } from "./group-host.js";
import type { FromGroupWorker } from "./worker-messages.js";

/** A host whose delivery service answers at once, and tells its part after every change. */
async function playHost() {
  const delivery = new PlayedDelivery(await newStatementKey());
  const told = new Mailbox<FromGroupWorker>();
  const host = new GroupHost({
    clock: { ...browserClock, now: () => 0 },
    newDelivery: ({ me }, place) => ({
      statement: (key) => delivery.statement(place, me, key),
      sendKeyPackage: async (bytes) => delivery.sendKeyPackage(place, me, bytes),
      create: async (id) => delivery.create(place, me, id),
      commit: (commit) => delivery.commit(place, me, commit),
      messages: async (id, after) => delivery.messages(place, me, id, after),
      refuse: async (refusal) => delivery.refuse(place, me, refusal),
    }),
    tell: (message) => told.put(message),
  });
  delivery.onChange = (place) => {
    void host.take({ type: "part", part: delivery.partFor(place, "a") });
  };
  await host.take({
    type: "start",
    baseUrl: "https://meet.example.com",
    ticket: "t",
    me: "a",
    room: "room",
    linkSecret: null,
  });
  const enter = async (place: string | null) => {
    await host.take({ type: "enter", place });
    delivery.setPresent(place, "a", true);
  };
  return { host, delivery, told, enter };
}

test("the page gets keys that it cannot read, before they are used", async () => {
  const { enter, told } = await playHost();
  await enter(null);
  const install = await told.next();
  if (install.type !== "install") throw new Error(install.type);
  expect(install.senders.map(({ identity }) => identity)).toEqual(["a"]);
  for (const { media, data } of install.senders) {
    expect([media.extractable, media.algorithm.name]).toEqual([false, "HKDF"]);
    expect([data.extractable, data.algorithm.name]).toEqual([false, "AES-GCM"]);
  }
  const next = [await told.next(), await told.next(), await told.next()];
  expect(next.map(({ type }) => type)).toEqual(["acknowledge", "send", "state"]);
});

test("a device in two places has one fingerprint, and leaves one of them", async () => {
  const { host, enter, told } = await playHost();
  await enter(null);
  const first = await stateOf(told);
  await enter("breakout");
  const second = await stateOf(told);
  expect(second.place).toBe("breakout");
  expect(second.state?.groupId).not.toBe(first.state?.groupId);
  expect(second.state?.members[0]?.fingerprint).toEqual(first.state?.members[0]?.fingerprint);
  await host.take({ type: "leave", place: null });
  expect((await stateOf(told)).state).toBeNull();
});

async function stateOf(told: Mailbox<FromGroupWorker>) {
  for (;;) {
    const message = await told.next();
    if (message.type === "state") return message;
  }
}
