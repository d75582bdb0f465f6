import { limits } from "../../member/limits";
import { changesOf, type Draft, fieldsOf, newRoom, newStrictRoom } from "./meeting-draft";
import type { OwnMeeting, OwnRoom, WorkspaceService } from "./workspace-service";

/**
 * Schedules a meeting, or changes the given one from the draft `initial`. If it is to have
 * a new room, that is made first, and `onRoom` is called with it. Resolves to the code of
 * a refusal; null if there is none.
 */
export async function saveMeeting(
  service: WorkspaceService,
  meeting: OwnMeeting | null,
  initial: Draft,
  draft: Draft,
  onRoom: (room: OwnRoom) => void,
): Promise<string | null> {
  let wanted = draft;
  if (draft.room === newRoom || draft.room === newStrictRoom) {
    const isStrict = draft.room === newStrictRoom;
    const settings = isStrict ? { settings: { encryption: "strict" } } : {};
    const made = await service.createRoom({ name: roomNameOf(draft), ...settings });
    if (!made.ok) return made.code;
    wanted = { ...draft, room: made.value.id };
    onRoom(made.value);
  }
  const outcome = meeting
    ? await service.changeMeeting(meeting.id, changesOf(initial, wanted))
    : await service.schedule(fieldsOf(wanted));
  return outcome.ok ? null : outcome.code;
}

/** A room's name may be shorter than a meeting's title. */
function roomNameOf({ title }: Draft): string {
  return [...title.trim()].slice(0, limits.roomName).join("").trim();
}
