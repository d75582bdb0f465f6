import type { Outcome } from "../../member/outcome";
import { ask, send } from "./account-service";

export type Provider = "caldav" | "google" | "microsoft";

/** A calendar that the person connected. */
export interface Connection {
  readonly id: string;
  readonly provider: Provider;
  readonly name: string;
  readonly status: "connected" | "revoked" | "unreachable";
  /** When writing to it began to fail. */
  readonly failing_since: string | null;
  /** How many meetings the calendar refused. */
  readonly failed: number;
}

export interface ConnectedCalendars {
  /** The kinds of calendars that this service can connect. */
  readonly providers: readonly Provider[];
  readonly connections: readonly Connection[];
}

export interface Feed {
  /** Null until the person asks for an address. */
  readonly address: string | null;
}

/** The address of a CalDAV calendar, and the login. */
export interface CalDavAccess {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/**
 * How long connecting a CalDAV calendar may take, in milliseconds: the service itself tries it for up
 * to 20 seconds, and then says what is wrong.
 */
const calDavPatience = 30_000;

/** The requests about the person's own calendars. */
export class CalendarService {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = `${baseUrl}/account/v1`;
  }

  calendars(): Promise<Outcome<ConnectedCalendars>> {
    return ask(`${this.#baseUrl}/calendars`);
  }

  connectCalDav(access: CalDavAccess): Promise<Outcome<Connection>> {
    return send("POST", `${this.#baseUrl}/calendars/caldav`, access, calDavPatience);
  }

  disconnect(id: string): Promise<Outcome<Connection>> {
    return this.#send("DELETE", `/calendars/${id}`, {});
  }

  /** The address to connect a calendar by giving consent at its provider. */
  consentAddress(provider: Exclude<Provider, "caldav">): string {
    return `${this.#baseUrl}/calendars/${provider}/start`;
  }

  feed(): Promise<Outcome<Feed>> {
    return ask(`${this.#baseUrl}/calendar-feed`);
  }

  resetFeed(): Promise<Outcome<Feed>> {
    return this.#send("POST", "/calendar-feed/reset", {});
  }

  #send<T>(method: string, path: string, body: object): Promise<Outcome<T>> {
    return send(method, this.#baseUrl + path, body);
  }
}
