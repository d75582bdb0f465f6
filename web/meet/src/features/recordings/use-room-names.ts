import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Recording, RecordingsService } from "./recordings-service";

/** How long to wait before asking again for names that did not come, in milliseconds. */
const askAgainAfter = 10_000;

/** The names of the recordings' rooms, by id, as far as they are known. */
export function useRoomNames(
  service: RecordingsService,
  recordings: readonly Recording[],
): (roomId: string) => string {
  const { t } = useTranslation();
  const [names, setNames] = useState<ReadonlyMap<string, string | null>>(new Map());
  const ids = new Set(recordings.map(({ room_id }) => room_id));
  const missing = [...ids].filter((id) => !names.has(id)).join(" ");

  useEffect(() => {
    if (missing === "") return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const ask = async () => {
      const found = await namesOf(service, missing.split(" "));
      setNames((before) => new Map([...before, ...found]));
      if (!isOver) timer = setTimeout(() => void ask(), askAgainAfter);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [service, missing]);

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
