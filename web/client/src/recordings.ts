import { type Observable, Value } from "./observable.js";
import type { RecordableMedia } from "./recordable-media.js";
import type { Service } from "./service.js";
import type { RecordingDevice, RecordingUpload, RunningRecording } from "./wire.js";

export interface RecordingsOptions {
  readonly service: Service;
  readonly ticket: string;
  /** The media of everybody in the media room for a recording, this device's own included. */
  readonly recordable: () => ReadonlyMap<string, RecordableMedia>;
}

/** The recording of the media room that this device is in, and what a recorder needs. */
export class Recordings {
  readonly #options: RecordingsOptions;
  readonly #running = new Value<RunningRecording | null>(null);
  readonly #changes = new Value(0);

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /** The recording that runs here; null while there is none. */
  get running(): Observable<RunningRecording | null> {
    return this.#running;
  }

  /** The address of the service that keeps recordings. */
  get baseUrl(): string {
    return this.#options.service.baseUrl;
  }

  /** The time on the service's clock, to compare with `started_at`. */
  readonly now = (): number => this.#options.service.time.now();

  /** The room's own hosts: stops the recording, whichever device makes it. */
  async stop(): Promise<void> {
    const running = this.#running.get();
    if (running) await this.#options.service.stopRecording(this.#options.ticket, running.id);
  }

  /** The room's own hosts: begins a recording, which this device then has to make. */
  begin(recording: {
    readonly mime_type: string;
    readonly key?: string;
  }): Promise<RecordingUpload> {
    return this.#options.service.beginRecording(this.#options.ticket, recording);
  }

  devices(): Promise<readonly RecordingDevice[]> {
    return this.#options.service.recordingDevices(this.#options.ticket);
  }

  recordable(): ReadonlyMap<string, RecordableMedia> {
    return this.#options.recordable();
  }

  /** Changes whenever `recordable` may have. */
  get changes(): Observable<number> {
    return this.#changes;
  }

  /** Takes the running recording from the event stream. */
  take(running: RunningRecording | null): void {
    this.#running.set(running);
  }

  mediaChanged(): void {
    this.#changes.update((count) => count + 1);
  }
}

/** The public side, for interfaces. */
export type MeetingRecordings = Omit<Pick<Recordings, keyof Recordings>, "take" | "mediaChanged">;
