import type { Meeting, Room } from "@conclave/webhook";
import { type Outcome, type Page, query, type WorkspaceApi } from "../../member/workspace-api";
import type { MeetingFields } from "./meeting-draft";

/** What the API answers a member who is signed in: whether they may change it is said as well. */
export type OwnRoom = Room;
export type OwnMeeting = Meeting;

export interface NewRoom {
  readonly name: string;
  readonly settings?: { readonly access: string; readonly admission: string };
}

/** Where a signed-in member downloads a meeting as a file for calendars. */
export function calendarFilePath(meetingId: string): string {
  return `/account/v1/meetings/${encodeURIComponent(meetingId)}/calendar.ics`;
}

/** The requests of the API that the start page needs, in one workspace of the signed-in member. */
export class DashboardService {
  readonly #api: WorkspaceApi;

  constructor(api: WorkspaceApi) {
    this.#api = api;
  }

  rooms(after: string | null, limit = 25): Promise<Outcome<Page<OwnRoom>>> {
    return this.#api.ask("GET", `/rooms?${query({ limit: String(limit), starting_after: after })}`);
  }

  room(id: string): Promise<Outcome<OwnRoom>> {
    return this.#api.ask("GET", `/rooms/${encodeURIComponent(id)}`);
  }

  createRoom(room: NewRoom): Promise<Outcome<OwnRoom>> {
    return this.#api.ask("POST", "/rooms", room);
  }

  /** The meetings of a window, soonest first. */
  meetings(from: string, to: string, after: string | null): Promise<Outcome<Page<OwnMeeting>>> {
    return this.#api.ask("GET", `/meetings?${query({ from, to, starting_after: after })}`);
  }

  schedule(fields: MeetingFields): Promise<Outcome<OwnMeeting>> {
    return this.#api.ask("POST", "/meetings", fields);
  }

  changeMeeting(id: string, change: Partial<MeetingFields>): Promise<Outcome<OwnMeeting>> {
    return this.#api.ask("PATCH", `/meetings/${encodeURIComponent(id)}`, change);
  }

  cancelMeeting(id: string): Promise<Outcome<OwnMeeting>> {
    return this.#api.ask("DELETE", `/meetings/${encodeURIComponent(id)}`);
  }
}
