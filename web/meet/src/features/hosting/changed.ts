import type { RoomChange, RoomInfo } from "@conclave/client/pre-join";

/** The room after a change. Fields that are absent from the change stay as they are. */
export function changed(room: RoomInfo, { locked, settings }: RoomChange): RoomInfo {
  return {
    ...room,
    locked: locked ?? room.locked,
    settings: { ...room.settings, ...settings },
  };
}
