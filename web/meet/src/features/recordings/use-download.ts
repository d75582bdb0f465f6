import { copyFile } from "@conclave/client/playback/copy-file";
import { DamagedPart, RecordingGone } from "@conclave/client/playback/encrypted-file";
import type { Phrase } from "@conclave/ui/when";
import { useEffect, useRef, useState } from "react";
import { codeOf } from "../../member/code-of";
import { type Keys, openRecording } from "./open-recording";
import { damagedPhrase, openingProblem, problemPhrase } from "./problem-phrase";
import { fileName } from "./recording-text";
import type { Recording } from "./recordings-service";
import { canSave, saveTarget } from "./save-target";

export type DownloadState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly share: number }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly problem: Phrase };

export interface Download {
  readonly state: DownloadState;
  readonly start: () => void;
  readonly cancel: () => void;
}

const cancelled = Symbol("cancelled");

/** Downloads a recording as one plain file. */
export function useDownload(recording: Recording, keys: Keys): Download {
  const [state, setState] = useState<DownloadState>({ kind: "idle" });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(cancelled), []);

  const run = async (signal: AbortSignal) => {
    if (!canSave(recording.bytes)) {
      return setState({ kind: "failed", problem: problemPhrase("too_large") });
    }
    try {
      const sink = await saveTarget(fileName(recording), recording.mime_type);
      if (sink === null) return setState({ kind: "idle" });
      setState({ kind: "running", share: 0 });
      const opening = await openRecording(recording, keys);
      if (opening.kind !== "open") {
        await sink.abort();
        return setState({ kind: "failed", problem: openingProblem(opening) });
      }
      const onProgress = (share: number) => setState({ kind: "running", share });
      await copyFile(opening.file, sink, onProgress, signal);
      setState({ kind: "done" });
    } catch (error) {
      if (signal.aborted) return setState({ kind: "idle" });
      setState({ kind: "failed", problem: problemOf(error) });
    }
  };

  return {
    state,
    start: () => {
      const turn = new AbortController();
      running.current = turn;
      void run(turn.signal);
    },
    cancel: () => running.current?.abort(cancelled),
  };
}

function problemOf(error: unknown): Phrase {
  if (error instanceof DamagedPart) return damagedPhrase(error.part);
  if (error instanceof RecordingGone) return problemPhrase("not_found");
  return problemPhrase(codeOf(error));
}
