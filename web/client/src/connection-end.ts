import { DisconnectReason } from "livekit-client";

/** `sent_away`: the service ended it, as it does with a room that closes. */
export type ConnectionEnd = "elsewhere" | "removed" | "sent_away" | "lost";

export function connectionEndOf(reason: DisconnectReason | undefined): ConnectionEnd {
  switch (reason) {
    case DisconnectReason.DUPLICATE_IDENTITY:
      return "elsewhere";
    case DisconnectReason.PARTICIPANT_REMOVED:
      return "removed";
    case DisconnectReason.ROOM_DELETED:
    case DisconnectReason.ROOM_CLOSED:
      return "sent_away";
    default:
      return "lost";
  }
}
