import { Meeting } from "./meeting.js";
import type { MeetingOptions } from "./meeting-options.js";
import { Service } from "./service.js";

export interface TokenCredentials {
  /** As returned by `POST /api/v1/rooms/{room_id}/tokens`. */
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

/** Enters the meeting with a seat taken by `Entrance.takeSeat`. */
export function createMeeting(options: MeetingOptions): Meeting {
  return new Meeting(options);
}

/**
 * Enters the meeting with a media token from the API, for custom interfaces. The token is exchanged
 * for the ticket of its seat; from then on the meeting is the same as with any other seat.
 */
export async function createMeetingFromToken(
  credentials: TokenCredentials,
  options: Omit<MeetingOptions, "seat" | "createGroupWorker" | "linkSecret">,
): Promise<Meeting> {
  const { baseUrl, fetch } = options;
  const service = new Service(fetch ? { baseUrl, fetch } : { baseUrl });
  const seat = await service.tradeToken(credentials.token);
  // Uses the seat's own credentials, so that a person in a breakout room comes back to it.
  const createGroupWorker = () => {
    throw new Error("Strict rooms have no media tokens.");
  };
  return new Meeting({ ...options, createGroupWorker, seat: { ...credentials, ...seat } });
}
