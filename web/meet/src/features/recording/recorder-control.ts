import type { Meeting } from "@conclave/client";
import { type Observable, Value } from "@conclave/client/pre-join";
import type {
  RecordedMeeting,
  Recorder,
  RecorderState,
  RecordingEnd,
} from "@conclave/client/recording/recorder";
import { obviousObstacle, RecordingUnsupported } from "@conclave/client/recording/support";
import { loadAgain } from "@conclave/ui/load-again";

/** The recorder of this device, loaded when it is first needed. */
export class RecorderControl {
  /** Whether the person has an account, with which they find recordings. Not every host has one. */
  readonly isOfMember: boolean;
  readonly #meeting: RecordedMeeting;
  readonly #state = new Value<RecorderState["kind"]>("idle");
  readonly #replaced = new Value<string | null>(null);
  readonly #ended = new Value<RecordingEnd | null>(null);
  readonly #sending = new Value(0);
  readonly #isStalled = new Value(false);
  readonly #isSilent = new Value(false);
  readonly #isUnsent = new Value(false);
  readonly #isKept = new Value(false);
  #recorder: Recorder | null = null;

  constructor(meeting: RecordedMeeting & Pick<Meeting, "identity">) {
    this.#meeting = meeting;
    this.isOfMember = meeting.identity.startsWith("user_");
    const { running } = meeting.recordings;
    let known = running.get()?.id;
    running.subscribe(() => {
      const id = running.get()?.id;
      // What the page said of an earlier recording could be taken as being about this one.
      if (id !== undefined && id !== known) this.#isKept.set(false);
      known = id;
    });
  }

  get state(): Observable<RecorderState["kind"]> {
    return this.#state;
  }

  /**
   * Id of the recording that was running when the person last began one. They may take it over
   * from an earlier page.
   */
  get replaced(): Observable<string | null> {
    return this.#replaced;
  }

  /** Why the last recording of this device ended. */
  get ended(): Observable<RecordingEnd | null> {
    return this.#ended;
  }

  /** How many recordings of this device have ended and are still being sent. */
  get sending(): Observable<number> {
    return this.#sending;
  }

  /** Whether nothing could be sent for a while. */
  get isStalled(): Observable<boolean> {
    return this.#isStalled;
  }

  /** Whether the recording of this device has no sound. */
  get isSilent(): Observable<boolean> {
    return this.#isSilent;
  }

  /** Whether this device begins or makes a recording or still sends one, also after the meeting. */
  get isUnsent(): Observable<boolean> {
    return this.#isUnsent;
  }

  /**
   * Whether to say where the recording is that was stopped last: one of this device, or one that the
   * person stopped. Until another begins.
   */
  get isKept(): Observable<boolean> {
    return this.#isKept;
  }

  forgetEnd(): void {
    this.#ended.set(null);
  }

  forgetKept(): void {
    this.#isKept.set(false);
  }

  async start(): Promise<void> {
    const obstacle = obviousObstacle();
    if (obstacle) throw new RecordingUnsupported(obstacle);
    if (this.#state.get() !== "idle") return;
    this.#replaced.set(this.#meeting.recordings.running.get()?.id ?? null);
    this.#state.set("starting");
    this.#ended.set(null);
    this.#isKept.set(false);
    try {
      this.#recorder ??= await this.#load();
      await this.#recorder.start();
    } finally {
      this.#state.set(this.#recorder?.state.get().kind ?? "idle");
    }
  }

  /** Stops the recording in this room, whichever device makes it. */
  async stop(): Promise<void> {
    if (this.#state.get() === "recording") {
      this.#recorder?.stop();
      return;
    }
    const { recordings } = this.#meeting;
    const stopped = recordings.running.get()?.id;
    await recordings.stop();
    const id = recordings.running.get()?.id;
    if (id === undefined || id === stopped) this.#isKept.set(true);
  }

  async #load(): Promise<Recorder> {
    const { newRecorder } = await loadAgain(() => import("./load-recorder"));
    const recorder = newRecorder(this.#meeting);
    recorder.state.subscribe(() => this.#state.set(recorder.state.get().kind));
    recorder.ended.subscribe(() => {
      this.#ended.set(recorder.ended.get());
      this.#isKept.set(recorder.ended.get() === "stopped");
    });
    recorder.sending.subscribe(() => this.#sending.set(recorder.sending.get()));
    recorder.isStalled.subscribe(() => this.#isStalled.set(recorder.isStalled.get()));
    recorder.isSilent.subscribe(() => this.#isSilent.set(recorder.isSilent.get()));
    const look = () =>
      this.#isUnsent.set(recorder.state.get().kind !== "idle" || recorder.sending.get() > 0);
    for (const part of [recorder.state, recorder.sending]) part.subscribe(look);
    return recorder;
  }
}
