import { refusalOf, ServiceError } from "../service-error.js";
import type { WrappedKey } from "./key-wrap.js";

/** The progress of an upload, as the service answers. */
export interface UploadState {
  readonly id: string;
  readonly status: "recording" | "processing" | "ready" | "failed";
  /** How many parts are stored, counted from the first without a gap. */
  readonly parts: number;
  /** Whether the recording has ended. */
  readonly ended: boolean;
}

export interface UploadServiceOptions {
  readonly baseUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly fetch?: typeof fetch;
}

const overCodes: ReadonlySet<string> = new Set(["recording_over", "upload_invalid", "not_found"]);

/** Whether the error is the service's own, and says that it accepts no more of a recording. */
export function isUploadOver(error: unknown): boolean {
  return error instanceof ServiceError && overCodes.has(error.code);
}

/**
 * The time limit of a request: enough for a part of 8 MiB at 1 Mbit/s, and for the service to send
 * it on to its bucket. The service waits longer for a device (internal/recording/times.go).
 */
const patience = 210_000;

/** The requests that carry a recording's upload secret, one method each. */
export class UploadService {
  readonly #options: UploadServiceOptions;
  readonly #fetch: typeof fetch;

  constructor(options: UploadServiceOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  state(): Promise<UploadState> {
    return this.#send("GET", "upload");
  }

  async putWraps(wraps: readonly (WrappedKey & { readonly device_id: string })[]): Promise<void> {
    await this.#sendJson("wraps", { wraps });
  }

  async putPart(
    index: number,
    endsMs: number,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<UploadState> {
    return this.#sendBytes(`parts/${index}?ends_ms=${endsMs}`, bytes);
  }

  async putIndex(bytes: Uint8Array<ArrayBuffer>): Promise<UploadState> {
    return this.#sendBytes("index", bytes);
  }

  finish(parts: number): Promise<UploadState> {
    return this.#sendJson("finish", { parts });
  }

  alive(): Promise<UploadState> {
    return this.#sendJson("alive", {});
  }

  async #sendBytes(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<UploadState> {
    return this.#send("PUT", path, bytes, {
      "Content-Type": "application/octet-stream",
      "Content-Digest": `sha-256=:${await digestOf(bytes)}:`,
    });
  }

  #sendJson(path: string, body: object): Promise<UploadState> {
    return this.#send("POST", path, JSON.stringify(body), { "Content-Type": "application/json" });
  }

  async #send(
    method: string,
    path: string,
    body: Uint8Array<ArrayBuffer> | string | null = null,
    headers: Record<string, string> = {},
  ): Promise<UploadState> {
    const { baseUrl, id, secret } = this.#options;
    const url = `${baseUrl}/meet/v1/recordings/${encodeURIComponent(id)}/${path}`;
    try {
      const response = await this.#fetch(url, {
        method,
        headers: { ...headers, Authorization: `Bearer ${secret}` },
        body,
        cache: "no-store",
        signal: AbortSignal.timeout(patience),
      });
      if (!response.ok) throw await refusalOf(response);
      return (await response.json()) as UploadState;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError(0, "network", String(error), null);
    }
  }
}

/** Base64 with padding, for HTTP's Content-Digest (RFC 9530). */
async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest));
}
