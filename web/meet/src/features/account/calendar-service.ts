import { ask, type Outcome } from "./account-service";

export type Provider = "caldav" | "google" | "microsoft";

/** A calendar that the person connected. */
export interface Connection {
  readonly id: string;
  readonly provider: Provider;
  readonly name: string;
  readonly status: "connected" | "revoked" | "unreachable";
  /** Since when nothing could be written to it. */
  readonly failing_since: string | null;
  /** Meetings that the calendar refused. */
  readonly failed: number;
}

export interface ConnectedCalendars {
  /** What can be connected on this service. */
  readonly providers: readonly Provider[];
  readonly connections: readonly Connection[];
}

export interface Feed {
  /** Null until somebody asks for it. */
  readonly address: string | null;
}

/** Where a CalDAV calendar is, and how to get in. */
export interface CalDavAccess {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** The requests about somebody's own calendars. */
export class CalendarService {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = `${baseUrl}/account/v1`;
  }

  calendars(): Promise<Outcome<ConnectedCalendars>> {
    return ask(`${this.#baseUrl}/calendars`, { method: "GET" });
  }

  connectCalDav(access: CalDavAccess): Promise<Outcome<Connection>> {
    return this.#send("POST", "/calendars/caldav", access);
  }

  disconnect(id: string): Promise<Outcome<Connection>> {
    return this.#send("DELETE", `/calendars/${id}`, {});
  }

  /** Where a browser goes to connect a calendar by consent. */
  consentAddress(provider: Exclude<Provider, "caldav">): string {
    return `${this.#baseUrl}/calendars/${provider}/start`;
  }

  feed(): Promise<Outcome<Feed>> {
    return ask(`${this.#baseUrl}/calendar-feed`, { method: "GET" });
  }

  resetFeed(): Promise<Outcome<Feed>> {
    return this.#send("POST", "/calendar-feed/reset", {});
  }

  // Whatever changes something needs a body of JSON: no other site's form can send one.
  #send<T>(method: string, path: string, body: object): Promise<Outcome<T>> {
    const headers = { "Content-Type": "application/json" };
    return ask(this.#baseUrl + path, { method, headers, body: JSON.stringify(body) });
  }
}
