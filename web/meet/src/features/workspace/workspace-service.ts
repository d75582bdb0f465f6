import type { Meeting, Room } from "@conclave/webhook";
import type { Outcome } from "../../member/outcome";
import { type Page, query, type WorkspaceApi } from "../../member/workspace-api";
import type { MeetingFields } from "./meeting-draft";

/** An object of the API as a signed-in member gets it, with whether they may change it. */
export type OwnRoom = Room;
export type OwnMeeting = Meeting;

export interface NewRoom {
  readonly name: string;
  readonly settings?: {
    readonly access?: string;
    readonly admission?: string;
    readonly encryption?: string;
  };
}

/** The address at which a signed-in member downloads a meeting as a calendar file. */
export function calendarFilePath(meetingId: string): string {
  return `/account/v1/meetings/${encodeURIComponent(meetingId)}/calendar.ics`;
}

/** The start page's requests of the API, in one workspace of the signed-in member. */
export class WorkspaceService {
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

  /** The meetings in a window of time, soonest first. */
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
