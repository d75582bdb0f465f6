import type { GroupState, GroupTrouble } from "./group-state.js";

/**
 * The group of a strict meeting as an interface shows it: the group of the room that this device is
 * in, or is about to be in for the first time. In a standard meeting there is none.
 */
export interface GroupView {
  /**
   * `starting`: this device is not in the group yet, or not again after a move or an interruption,
   * and sends nothing. `secure`: it is in the group, and sends with the keys of an epoch. `trouble`:
   * something keeps it from the group; it goes on trying, unless the trouble is `over`,
   * `link_secret` or `worker`.
   */
  readonly state: "starting" | "secure" | "trouble";
  /** What keeps this device from the group. It is null again once the device is in an epoch. */
  readonly trouble: GroupTrouble | null;
  /**
   * Who is in the group and the code that they compare; null while this device is in no group. It
   * is a new object in each epoch, that is, whenever a device comes, goes or changes its keys.
   */
  readonly epoch: GroupState | null;
}

export const startingGroup: GroupView = { state: "starting", trouble: null, epoch: null };
