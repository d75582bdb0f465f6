/** Services, or nodes of one, of the version before authors said what their commits do. */
import { expect, test } from "vitest";
import { GroupWorld, type SimDevice } from "../testing/group-world.js";
import type { GroupMessage } from "./group-protocol.js";

const bare = ({ seq, epoch, kind, message }: GroupMessage) => ({ seq, epoch, kind, message });

test.each<[string, (message: GroupMessage) => object]>([
  ["does not tell", bare],
  ["has not stored", (message) => ({ ...message, check: "", link: null, adds: [], removes: [] })],
])("devices follow a service that %s what authors say of commits", async (_what, tell) => {
  const world = await GroupWorld.open(1);
  const { delivery } = world;
  const { messages } = delivery;
  delivery.messages = (...of) => {
    const { data, has_more } = messages.apply(delivery, of);
    return { data: data.map((one) => tell(one) as GroupMessage), has_more };
  };
  const come = async (identity: string): Promise<SimDevice> => {
    const device = await world.add(identity);
    device.enter(null);
    return device;
  };
  const areTogether = (...devices: readonly SimDevice[]) =>
    devices.every(
      ({ state, sending }) =>
        sending?.epoch === devices[0]?.state?.epoch && state?.members.length === devices.length,
    );
  const ada = await come("a-ada");
  const bob = await come("b-bob");
  await world.until("two are together", () => areTogether(ada, bob), 5000);
  const eve = await come("c-eve");
  await world.until("three are together", () => areTogether(ada, bob, eve), 5000);
  world.drop(eve);
  await world.until("two are left", () => areTogether(ada, bob), 5000);
  expect([ada, bob, eve].flatMap(({ troubles }) => troubles)).toEqual([]);
});
