import type { Address, Scene } from "./arrival-scene";
import { bareName, binaries, nameOf } from "./bench-settings";

/** One of those who take turns, and how their people come together. */
export interface Contestant<Group> {
  readonly name: string;
  readonly open: () => Promise<Group>;
}

type Open<Group> = (scene: Scene, address: Address) => Promise<Group>;

/** This build and LiveKit's own client on the same service, or the builds to compare. */
export function contestants<Group>(
  scene: Scene,
  { ours, bare }: { ours: Open<Group>; bare: Open<Group> },
): Contestant<Group>[] {
  const all = scene.services.map((address, index) => ({
    name: nameOf(index),
    open: () => ours(scene, address),
  }));
  const [address] = scene.services;
  if (binaries.length > 0 || !address) return all;
  return [...all, { name: bareName, open: () => bare(scene, address) }];
}
