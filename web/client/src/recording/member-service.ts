import { browserClock, type Clock, pause } from "../clock.js";
import { isTemporary, ServiceError } from "../service-error.js";
import type { WrappedKey } from "./key-wrap.js";
import type { Piece } from "./part-format.js";

/** A device of the signed-in member, for which keys of end_to_end recordings can be wrapped. */
export interface MemberDevice {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string;
}

/** A device that cannot open a recording yet, of a person who may see the recording. */
export interface ShutOutDevice {
  readonly id: string;
  readonly name: string;
  /** The name of the device's owner. */
  readonly owner: string;
  readonly public_key: string;
}

/** The key of a recording, wrapped for a device. */
export interface DeviceWrap extends WrappedKey {
  readonly device_id: string;
}

interface Listed<T> {
  readonly data: readonly T[];
}

/**
 * How long a request about devices and keys may take with its answer, in milliseconds: on a dead line
 * no answer ever comes. Pieces of recordings are large, and may take as long as they need.
 */
const patience = 20_000;
const tries = 5;
const wrapsAtATime = 100;

/**
 * The requests of a signed-in member about their devices, and about parts and keys of recordings.
 */
export class MemberService {
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #fetch: typeof fetch;

  constructor(options: {
    readonly baseUrl: string;
    readonly fetch?: typeof fetch;
    readonly clock?: Clock;
  }) {
    this.#baseUrl = `${options.baseUrl.replace(/\/+$/, "")}/account/v1`;
    this.#clock = options.clock ?? browserClock;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** The e-mail address of the account that is signed in now; null if none is. */
  async email(): Promise<string | null> {
    const session = await this.#ask<{ account: { email: string } | null }>("GET", "/session");
    return session.account?.email ?? null;
  }

  async devices(): Promise<readonly MemberDevice[]> {
    return (await this.#ask<Listed<MemberDevice>>("GET", "/devices")).data;
  }

  addDevice(device: { readonly name: string; readonly public_key: string }): Promise<MemberDevice> {
    return this.#ask("POST", "/devices", device);
  }

  async revokeDevice(id: string): Promise<void> {
    await this.#ask("DELETE", `/devices/${encodeURIComponent(id)}`, {});
  }

  /**
   * The key of an end_to_end recording for one of the member's own devices; null if it has none.
   */
  async wrappedKey(recordingId: string, deviceId: string): Promise<WrappedKey | null> {
    try {
      const query = new URLSearchParams({ device_id: deviceId });
      return await this.#ask<WrappedKey>("GET", `${pathOf(recordingId)}/key?${query}`);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /**
   * Deletes the key wrapped for one of the member's own devices, so that it can be wrapped again.
   */
  async dropWrap(recordingId: string, deviceId: string): Promise<void> {
    const query = new URLSearchParams({ device_id: deviceId });
    await this.#ask("DELETE", `${pathOf(recordingId)}/key?${query}`, {});
  }

  async shutOutDevices(recordingId: string): Promise<readonly ShutOutDevice[]> {
    const path = `${pathOf(recordingId)}/missing-devices`;
    return (await this.#ask<Listed<ShutOutDevice>>("GET", path)).data;
  }

  async addWraps(recordingId: string, wraps: readonly DeviceWrap[]): Promise<void> {
    for (let from = 0; from < wraps.length; from += wrapsAtATime) {
      const some = wraps.slice(from, from + wrapsAtATime);
      await this.#ask("POST", `${pathOf(recordingId)}/wraps`, { wraps: some });
    }
  }

  /** A part or the index, as stored; null if there is none. Tries again if that may help. */
  async piece(
    recordingId: string,
    piece: Piece,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | null> {
    const path = `${pathOf(recordingId)}/${piece === "index" ? "index" : `parts/${piece}`}`;
    for (let tried = 1; ; tried += 1) {
      try {
        const response = await this.#send("GET", path, undefined, signal);
        return new Uint8Array(await response.arrayBuffer().catch(brokeOff));
      } catch (error) {
        signal.throwIfAborted();
        if (isMissing(error)) return null;
        if (!isTemporary(error) || tried === tries) throw error;
        await pause(this.#clock, 500 * 2 ** tried, signal);
        signal.throwIfAborted();
      }
    }
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.#send(method, path, body, AbortSignal.timeout(patience));
    return (await response.json().catch(brokeOff)) as T;
  }

  // Every change needs a JSON body, which the form of another site cannot send.
  async #send(
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const response = await this.#fetch(this.#baseUrl + path, {
      method,
      signal,
      cache: "no-store",
      ...(body
        ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
        : {}),
    }).catch(brokeOff);
    if (response.ok) return response;
    const answer = (await response.json().catch(() => null)) as {
      error?: { code: string; message: string; request_id?: string };
    } | null;
    const { code, message, request_id } = answer?.error ?? {};
    const said = message ?? `The service answered ${response.status}.`;
    throw new ServiceError(
      response.status,
      code ?? `http_${response.status}`,
      said,
      request_id ?? null,
    );
  }
}

function pathOf(recordingId: string): string {
  return `/recordings/${encodeURIComponent(recordingId)}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404;
}

function brokeOff(error: unknown): never {
  const said = error instanceof Error ? error.message : String(error);
  throw new ServiceError(0, "network", said, null);
}
