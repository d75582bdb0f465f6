import { refusalOf, ServiceError } from "../service-error.js";
import type {
  AcceptedCommit,
  CreatedGroup,
  GroupDelivery,
  GroupMessages,
  GroupRefusal,
  NewCommit,
  StatementAnswer,
} from "./group-protocol.js";

export interface GroupServiceOptions {
  readonly baseUrl: string;
  readonly ticket: string;
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  readonly fetch?: typeof fetch;
}

/** A request that takes longer than this will not be answered. */
const patience = 10_000;

/** The delivery service over HTTP, for one place. */
export class GroupService implements GroupDelivery {
  readonly #options: GroupServiceOptions;
  readonly #fetch: typeof fetch;

  constructor(options: GroupServiceOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  readonly statement = (signatureKey: string): Promise<StatementAnswer> =>
    this.#post("group/statement", { signature_key: signatureKey });

  readonly sendKeyPackage = async (keyPackage: string): Promise<void> => {
    await this.#post("group/key-package", { key_package: keyPackage });
  };

  readonly create = (groupId: string): Promise<CreatedGroup> =>
    this.#post("group", { group_id: groupId });

  readonly commit = (commit: NewCommit, signal: AbortSignal): Promise<AcceptedCommit> =>
    this.#post("group/commits", commit, signal);

  readonly messages = (groupId: string, after: number): Promise<GroupMessages> => {
    const query = new URLSearchParams({ group_id: groupId, after: String(after) });
    return this.#send(`group/messages?${query}`, { method: "GET" });
  };

  readonly refuse = async (refusal: GroupRefusal): Promise<void> => {
    await this.#post("group/refusals", refusal);
  };

  /** Every request names its place, so that it does nothing in a place the device has moved to. */
  #post<T>(path: string, body: object, signal: AbortSignal | null = null): Promise<T> {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ place: this.#options.place, ...body }),
    };
    return this.#send(path, init, signal);
  }

  async #send<T>(
    path: string,
    init: { method: string; headers?: Record<string, string>; body?: string },
    signal: AbortSignal | null = null,
  ): Promise<T> {
    const limit = AbortSignal.timeout(patience);
    const { baseUrl, ticket } = this.#options;
    let response: Response;
    try {
      response = await this.#fetch(`${baseUrl.replace(/\/+$/, "")}/meet/v1/${path}`, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${ticket}` },
        cache: "no-store",
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      if (response.ok) return (await response.json()) as T;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new ServiceError(0, "network", message, null);
    }
    throw await refusalOf(response);
  }
}
