import type { Outcome } from "../../member/outcome";
import { type Page, query, type WorkspaceApi } from "../../member/workspace-api";

export type RecordingStatus = "recording" | "processing" | "ready" | "failed";

export type Visibility = "room" | "workspace" | "private";

/** A recording, as in the API. */
export interface Recording {
  readonly id: string;
  readonly room_id: string;
  readonly title: string;
  readonly status: RecordingStatus;
  readonly visibility: Visibility;
  readonly mime_type: string;
  readonly parts: number;
  readonly bytes: number;
  readonly duration_ms: number;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Whether the person may change and delete it; absent if everybody who sees it may. */
  readonly managed?: boolean;
}

export interface RecordingChange {
  readonly title?: string;
  readonly visibility?: Visibility;
}

interface Download {
  readonly encryption: { readonly key: string };
}

interface NamedRoom {
  readonly id: string;
  readonly name: string;
}

/** How many recordings are on a page of the list. */
const pageLimit = 25;

/** The API requests about recordings, in one workspace of the signed-in member. */
export class RecordingsService {
  readonly #api: WorkspaceApi;

  constructor(api: WorkspaceApi) {
    this.#api = api;
  }

  recordings(after: string | null): Promise<Outcome<Page<Recording>>> {
    const fields = { limit: String(pageLimit), starting_after: after };
    return this.#api.ask("GET", `/recordings?${query(fields)}`);
  }

  recording(id: string): Promise<Outcome<Recording>> {
    return this.#api.ask("GET", pathOf(id));
  }

  change(id: string, change: RecordingChange): Promise<Outcome<Recording>> {
    return this.#api.ask("PATCH", pathOf(id), change);
  }

  remove(id: string): Promise<Outcome<unknown>> {
    return this.#api.ask("DELETE", pathOf(id));
  }

  /** The key of a recording, if the service has it; base64url. */
  async key(id: string): Promise<Outcome<string>> {
    const download = await this.#api.ask<Download>("POST", `${pathOf(id)}/download`);
    return download.ok ? { ok: true, value: download.value.encryption.key } : download;
  }

  rooms(): Promise<Outcome<Page<NamedRoom>>> {
    return this.#api.ask("GET", `/rooms?${query({ limit: "100" })}`);
  }

  room(id: string): Promise<Outcome<NamedRoom>> {
    return this.#api.ask("GET", `/rooms/${encodeURIComponent(id)}`);
  }
}

function pathOf(id: string): string {
  return `/recordings/${encodeURIComponent(id)}`;
}
