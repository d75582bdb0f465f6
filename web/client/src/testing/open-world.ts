import { GroupWorld, type SimDevice } from "./group-world.js";

/** A world with one place, the main room. */
export async function openWorld(seed: number) {
  const world = await GroupWorld.open(seed);
  const come = async (identity: string, secret: Uint8Array | null = null): Promise<SimDevice> => {
    const device = await world.add(identity);
    device.linkSecret = secret;
    device.enter(null);
    return device;
  };
  /** Whether these devices are members of one group, in the same epoch, and send. */
  const areTogether = (...devices: readonly SimDevice[]) => {
    const [first] = devices;
    const who = devices.map(({ identity }) => identity).sort();
    return devices.every(
      ({ state, sending }) =>
        sending !== null &&
        state?.groupId === first?.state?.groupId &&
        state?.epoch === first?.state?.epoch &&
        who.every((one) => state?.members.some(({ identity }) => identity === one)),
    );
  };
  return { world, come, areTogether };
}
