import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { isOver } from "../../member/is-over";
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
  const known = useRef<ReadonlyMap<string, string | null>>(names);
  const ids = [...new Set(recordings.map(({ room_id }) => room_id))].join(" ");

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new AbortController();
    const ask = async () => {
      const missing = ids.split(" ").filter((id) => id !== "" && !known.current.has(id));
      if (missing.length === 0) return;
      const { found, failed } = await namesOf(service, missing, over.signal);
      known.current = new Map([...known.current, ...found]);
      setNames(known.current);
      if (failed === null || isOver(failed) || over.signal.aborted) return;
      timer = setTimeout(() => void ask(), askAgainAfter);
    };
    void ask();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [service, ids]);

  return (id) => {
    const name = names.get(id);
    return name === null ? t("recordings.deletedRoom") : (name ?? "");
  };
}

interface Found {
  /** Null: the room was deleted. */
  readonly found: ReadonlyMap<string, string | null>;
  /** The code of the failure that ended it; null: everything was found. */
  readonly failed: string | null;
}

/**
 * Most rooms are on the first page of the list; the others are fetched one by one, until one of
 * these requests fails.
 */
async function namesOf(
  service: RecordingsService,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const found = new Map<string, string | null>();
  const rooms = await service.rooms();
  if (!rooms.ok) return { found, failed: rooms.code };
  for (const { id, name } of rooms.value.data) found.set(id, name);
  for (const id of ids) {
    if (signal.aborted) break;
    if (found.has(id)) continue;
    const room = await service.room(id);
    if (room.ok) found.set(id, room.value.name);
    else if (room.code === "not_found") found.set(id, null);
    else return { found, failed: room.code };
  }
  return { found, failed: null };
}
