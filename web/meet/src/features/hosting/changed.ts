import type { RoomChange, RoomInfo } from "@conclave/client/door";

/** The room as it will be once a change is made: what the change leaves out stays. */
export function changed(room: RoomInfo, { locked, settings }: RoomChange): RoomInfo {
  return {
    ...room,
    locked: locked ?? room.locked,
    settings: { ...room.settings, ...settings },
  };
}
