import { useEffect, useState } from "react";
import { isNoRoomYet } from "./meeting-draft";
import type { OwnRoom, WorkspaceService } from "./workspace-service";

/** How many of the newest rooms are offered; a longer list would be hard to use. */
const offered = 100;

/** The rooms that a meeting can have: those that the person manages, and its present one. */
export function useRoomChoice(service: WorkspaceService, current: string) {
  const [rooms, setRooms] = useState<readonly OwnRoom[]>([]);
  useEffect(() => {
    let isWanted = true;
    void (async () => {
      const page = await service.rooms(null, offered);
      const found = page.ok ? page.value.data.filter((room) => room.managed) : [];
      if (!isNoRoomYet(current) && !found.some(({ id }) => id === current)) {
        const own = await service.room(current);
        if (own.ok) found.unshift(own.value);
      }
      if (isWanted) setRooms(found);
    })();
    return () => {
      isWanted = false;
    };
  }, [service, current]);
  return { options: rooms, add: (room: OwnRoom) => setRooms((before) => [room, ...before]) };
}
