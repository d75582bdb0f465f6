import { type ArrivalNote, channelOf } from "./steps.js";

/** Gives each worker of a page a name, under which a worker that is traced tells its notes. */
export function followWorkers(
  page: Window & typeof globalThis,
  onNote: (note: ArrivalNote) => void,
): void {
  page.Worker = class extends page.Worker {
    constructor(script: string | URL, options: WorkerOptions = {}) {
      const name = crypto.randomUUID();
      const channel = new BroadcastChannel(channelOf(name));
      channel.onmessage = ({ data }: MessageEvent<ArrivalNote>) => onNote(data);
      super(script, { ...options, name });
    }
  };
}
