import { isOwnHost } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { useState } from "react";
import { playChime } from "../features/devices/chime";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { RecordingParts } from "../features/live/meeting-screen";
import { RecordButton } from "../features/recording/record-button";
import { RecorderControl } from "../features/recording/recorder-control";
import { RecordingBanners } from "../features/recording/recording-banners";

/** Everybody has to hear it, and nobody to be drowned. */
const softly = 0.1;

/** What the feature of recordings adds to the screen of a meeting. */
export function useRecordingParts(meeting: LiveMeeting): RecordingParts {
  const [control] = useState(() => new RecorderControl(meeting));
  const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
  const running = useObservable(meeting.recordings.running);
  const you = useObservable(meeting.you);
  const chime = () =>
    void playChime(meeting.localMedia.chosen("speaker").get(), softly).catch(() => {});
  return {
    button: (isNarrow) =>
      you && isOwnHost(you) ? (
        <RecordButton
          control={control}
          running={running}
          isNarrow={isNarrow}
          onFailure={(error) => setFailure({ error })}
        />
      ) : null,
    banners: (
      <RecordingBanners
        control={control}
        running={running}
        now={meeting.recordings.now}
        onChange={chime}
        failure={failure}
        onFailureSeen={() => setFailure(null)}
      />
    ),
  };
}
