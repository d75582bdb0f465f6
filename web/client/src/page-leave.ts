import type { Room } from "livekit-client";

/**
 * Makes a connection end with its page, and leave the tracks of this device as they are. The media
 * library would end it already when the browser asks whether the person wants to leave, although
 * they may stay. It would also stop microphone and camera for good, even when a page is only
 * frozen.
 */
export function leaveWithPage(
  room: Pick<Room, "disconnect">,
  page: EventTarget,
  closing: AbortSignal,
): void {
  const disconnect = room.disconnect.bind(room);
  room.disconnect = (stopTracks = false) => disconnect(stopTracks);
  const leave = () => void room.disconnect().catch(() => {});
  page.addEventListener("pagehide", leave, { signal: closing });
}
