import { browserClock, type Clock, retryDelay } from "./clock.js";
import { inTime } from "./connecting.js";
import { ServerTime } from "./server-time.js";
import { isBusy, refusalOf, ServiceError } from "./service-error.js";
import type {
  BreakoutPlan,
  CalendarFile,
  ConnectionTestToken,
  LookUp,
  MediaToken,
  NewPoll,
  Poll,
  RecordingDevice,
  RecordingUpload,
  RoomChange,
  RoomInfo,
  Seat,
  WaitingSeat,
} from "./wire.js";

/** How often a request is sent again that the service was too busy to answer. */
const mostRetries = 2;

/**
 * How long a request may take with its answer, in milliseconds. A busy service lets a change wait
 * for five seconds and a slow network needs some more, but on a dead line no answer ever comes:
 * the person is told that, and can try again. The request is given up then, which also stops it
 * on the service: a join that waits there gives no seat. If only its answer was lost, nobody uses
 * its seat, and the service forgets it.
 */
export const requestPatience = 20_000;

export interface ServiceOptions {
  /** Where the service is: `https://meet.example.com`. */
  readonly baseUrl: string;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

/** How a visitor names a room and themselves. */
export interface Visit {
  readonly code: string;
  /** The secret of a join link, if they came by one. */
  readonly joinSecret: string | null;
  /** By which a guest who comes back is recognised (browser-id.ts). */
  readonly browser: string | null;
}

/** The requests of the meeting protocol, one method each. */
export class Service {
  readonly baseUrl: string;
  /** The service's clock, estimated from its answers. */
  readonly time: ServerTime;
  readonly #fetch: typeof fetch;
  readonly #clock: Clock;

  constructor(options: ServiceOptions) {
    this.#clock = options.clock ?? browserClock;
    this.time = new ServerTime(this.#clock);
    this.baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  lookUp(visit: Visit, ticket: string | null): Promise<LookUp> {
    return this.#again(() => this.#post("look-up", bodyOf(visit), ticket));
  }

  unlock(visit: Visit, ticket: string | null): Promise<LookUp> {
    return this.#post("unlock", bodyOf(visit), ticket);
  }

  calendarFile(visit: Visit, ticket: string | null): Promise<CalendarFile> {
    return this.#again(() => this.#post("calendar-file", bodyOf(visit), ticket));
  }

  /** Begins a connection test, for a visitor of a room or for the person who is signed in. */
  testConnection(code: string | null, joinSecret: string | null): Promise<ConnectionTestToken> {
    return this.#post("connection-tests", bodyOf({ code, joinSecret, browser: null }), null);
  }

  join(
    visit: Visit,
    person: { readonly name: string; readonly avatar: string | null },
    ticket: string | null,
  ): Promise<Seat | WaitingSeat> {
    const { name, avatar } = person;
    const body = { ...bodyOf(visit), name, ...(avatar === null ? {} : { avatar }) };
    return this.#post("join", body, ticket);
  }

  /** Exchanges a media token of the API for the ticket of its seat. */
  tradeToken(token: string): Promise<Seat> {
    return this.#post("tickets", { token }, null);
  }

  mediaToken(ticket: string, signal: AbortSignal | null = null): Promise<MediaToken> {
    return this.#ask("POST", "token", {}, ticket, signal);
  }

  async leave(ticket: string): Promise<void> {
    await this.#post("leave", {}, ticket);
  }

  async raiseHand(ticket: string, raised: boolean): Promise<void> {
    await this.#post("hand", { raised }, ticket);
  }

  async rename(ticket: string, name: string): Promise<void> {
    await this.#post("name", { name }, ticket);
  }

  async mute(ticket: string, identity: string): Promise<void> {
    await this.#post(`${personPath(identity)}/mute`, {}, ticket);
  }

  async muteAll(ticket: string): Promise<void> {
    await this.#post("mute-all", {}, ticket);
  }

  async stopCamera(ticket: string, identity: string): Promise<void> {
    await this.#post(`${personPath(identity)}/stop-camera`, {}, ticket);
  }

  async askToUnmute(ticket: string, identity: string): Promise<void> {
    await this.#post(`${personPath(identity)}/ask-to-unmute`, {}, ticket);
  }

  async lowerHand(ticket: string, identity: string): Promise<void> {
    await this.#ask("DELETE", `${personPath(identity)}/hand`, {}, ticket);
  }

  async lowerAllHands(ticket: string): Promise<void> {
    await this.#ask("DELETE", "hands", {}, ticket);
  }

  async answerKnock(ticket: string, identity: string, decision: "admit" | "deny"): Promise<void> {
    await this.#post(`waiting/${encodeURIComponent(identity)}`, { decision }, ticket);
  }

  async admitAll(ticket: string): Promise<void> {
    await this.#post("admit-all", {}, ticket);
  }

  async remove(ticket: string, identity: string): Promise<void> {
    await this.#ask("DELETE", personPath(identity), {}, ticket);
  }

  async setCohost(ticket: string, identity: string, cohost: boolean): Promise<void> {
    await this.#ask(cohost ? "POST" : "DELETE", `${personPath(identity)}/cohost`, {}, ticket);
  }

  async setStage(ticket: string, identity: string, onStage: boolean): Promise<void> {
    await this.#ask(onStage ? "POST" : "DELETE", `${personPath(identity)}/stage`, {}, ticket);
  }

  async setSpotlight(ticket: string, identity: string, lit: boolean): Promise<void> {
    await this.#ask(lit ? "POST" : "DELETE", `${personPath(identity)}/spotlight`, {}, ticket);
  }

  async end(ticket: string): Promise<void> {
    await this.#post("end", {}, ticket);
  }

  changeRoom(ticket: string, change: RoomChange): Promise<RoomInfo> {
    return this.#ask("PATCH", "room", change, ticket);
  }

  /** Goes into a breakout room, where the person may decide that themselves. */
  async joinBreakout(ticket: string, breakoutId: string): Promise<void> {
    await this.#post("breakouts/join", { breakout_id: breakoutId }, ticket);
  }

  async returnFromBreakout(ticket: string): Promise<void> {
    await this.#post("breakouts/return", {}, ticket);
  }

  async openBreakouts(ticket: string, plan: BreakoutPlan): Promise<void> {
    await this.#post("breakouts", plan, ticket);
  }

  async assignBreakout(
    ticket: string,
    assignment: { participant: string; breakout_id: string | null; can_return?: boolean },
  ): Promise<void> {
    await this.#post("breakouts/assignments", assignment, ticket);
  }

  async addBreakout(ticket: string, name: string): Promise<void> {
    await this.#post("breakouts/rooms", name === "" ? {} : { name }, ticket);
  }

  async renameBreakout(ticket: string, breakoutId: string, name: string): Promise<void> {
    await this.#ask("PATCH", breakoutPath(breakoutId), { name }, ticket);
  }

  async closeBreakout(ticket: string, breakoutId: string): Promise<void> {
    await this.#ask("DELETE", breakoutPath(breakoutId), {}, ticket);
  }

  async announce(ticket: string, message: string): Promise<void> {
    await this.#post("breakouts/announce", { message }, ticket);
  }

  async endBreakouts(ticket: string, warn: boolean): Promise<void> {
    await this.#post("breakouts/end", { warn }, ticket);
  }

  vote(
    ticket: string,
    pollId: string,
    ballot: { options: readonly string[]; receipt?: string },
    signal: AbortSignal | null = null,
  ): Promise<Poll> {
    return this.#ask("POST", `${pollPath(pollId)}/vote`, ballot, ticket, signal);
  }

  async askPoll(ticket: string, poll: NewPoll): Promise<void> {
    await this.#post("polls", poll, ticket);
  }

  async setPollStatus(ticket: string, pollId: string, status: Poll["status"]): Promise<void> {
    await this.#ask("PATCH", pollPath(pollId), { status }, ticket);
  }

  async deletePoll(ticket: string, pollId: string): Promise<void> {
    await this.#ask("DELETE", pollPath(pollId), {}, ticket);
  }

  /** For the room's own hosts: the devices that get the key of an end_to_end recording. */
  async recordingDevices(ticket: string): Promise<readonly RecordingDevice[]> {
    const path = "recordings/devices";
    const init = { headers: { Authorization: `Bearer ${ticket}` }, cache: "no-store" } as const;
    const ask = () => this.#answer<{ data: RecordingDevice[] }>(path, init, null);
    return (await this.#again(ask)).data;
  }

  /** For the room's own hosts: begins a recording. Sends its key if the service keeps the key. */
  beginRecording(
    ticket: string,
    recording: { readonly mime_type: string; readonly key?: string },
  ): Promise<RecordingUpload> {
    return this.#post("recordings", recording, ticket);
  }

  /** For the room's own hosts: stops a recording, whichever device makes it. */
  async stopRecording(ticket: string, id: string): Promise<void> {
    await this.#post(`recordings/${encodeURIComponent(id)}/stop`, {}, ticket);
  }

  /** Opens the event stream, with the list of people as changes; the caller reads the body. */
  async events(ticket: string, lastEventId: string, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {
      Accept: "text/event-stream",
      Authorization: `Bearer ${ticket}`,
    };
    if (lastEventId !== "") headers["Last-Event-ID"] = lastEventId;
    return this.#send("events?changes=people", { headers, signal, cache: "no-store" });
  }

  #post<T>(path: string, body: object, ticket: string | null): Promise<T> {
    return this.#ask("POST", path, body, ticket);
  }

  #ask<T>(
    method: string,
    path: string,
    body: object,
    ticket: string | null,
    signal: AbortSignal | null = null,
  ): Promise<T> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (ticket !== null) headers["Authorization"] = `Bearer ${ticket}`;
    const init = { method, headers, body: JSON.stringify(body), cache: "no-store" } as const;
    return this.#answer(path, init, signal);
  }

  /** The answer to a request, in time; a caller with a `signal` has a time limit of its own. */
  #answer<T>(path: string, init: RequestInit, signal: AbortSignal | null): Promise<T> {
    const ask = async (signal: AbortSignal) =>
      readJson<T>(await this.#send(path, { ...init, signal }));
    return signal === null ? inTime(this.#clock, requestPatience, ask) : ask(signal);
  }

  /** Asks again when the service was busy: for requests that change nothing. */
  async #again<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await ask();
      } catch (error) {
        if (attempt === mostRetries || !isBusy(error)) throw error;
        const delay = retryDelay(attempt, this.#clock.random(), error.retryAfter);
        await new Promise<void>((resolve) => this.#clock.after(delay, resolve));
      }
    }
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const asked = this.time.local();
    let response: Response;
    try {
      response = await this.#fetch(`${this.baseUrl}/meet/v1/${path}`, init);
    } catch (error) {
      throw new ServiceError(0, "network", describe(error), null);
    }
    this.time.heard(asked, response.headers.get("Date"));
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}

async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw new ServiceError(0, "network", describe(error), null); // the body was cut off
  }
}

function personPath(identity: string): string {
  return `people/${encodeURIComponent(identity)}`;
}

function breakoutPath(breakoutId: string): string {
  return `breakouts/rooms/${encodeURIComponent(breakoutId)}`;
}

function pollPath(pollId: string): string {
  return `polls/${encodeURIComponent(pollId)}`;
}

/** The version of the protocol of strict rooms that this library speaks. */
const strictVersion = 1;

/** The person who comes, and what their device can do. */
function bodyOf({ code, joinSecret, browser }: Omit<Visit, "code"> & { code: string | null }) {
  return {
    ...(code === null ? {} : { code }),
    ...(joinSecret === null ? {} : { join_secret: joinSecret }),
    ...(browser === null ? {} : { browser }),
    strict: strictVersion,
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
