import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Recording, RecordingsService } from "./recordings-service";

/** The names of the recordings' rooms, by id, as far as they are known. */
export function useRoomNames(
  service: RecordingsService,
  recordings: readonly Recording[],
): (roomId: string) => string {
  const { t } = useTranslation();
  const [names, setNames] = useState<ReadonlyMap<string, string | null>>(new Map());
  const asked = useRef(new Set<string>());
  const ids = [...new Set(recordings.map(({ room_id }) => room_id))].join(" ");

  useEffect(() => {
    const missing = ids.split(" ").filter((id) => id !== "" && !asked.current.has(id));
    if (missing.length === 0) return;
    for (const id of missing) asked.current.add(id);
    void namesOf(service, missing).then((found) =>
      setNames((before) => new Map([...before, ...found])),
    );
  }, [service, ids]);

  return (id) => {
    const name = names.get(id);
    return name === null ? t("recordings.deletedRoom") : (name ?? "");
  };
}

/** Most rooms are on the first page of the list; the others are fetched one by one. */
async function namesOf(
  service: RecordingsService,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const names = new Map<string, string | null>();
  const rooms = await service.rooms();
  if (rooms.ok) for (const { id, name } of rooms.value.data) names.set(id, name);
  for (const id of ids) {
    if (names.has(id)) continue;
    const room = await service.room(id);
    if (room.ok) names.set(id, room.value.name);
    else if (room.code === "not_found") names.set(id, null);
  }
  return names;
}
