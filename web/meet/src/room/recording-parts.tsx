import { isOwnHost } from "@conclave/client";
import { obviousObstacle } from "@conclave/client/recording/support";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useEffect, useState } from "react";
import { playChime } from "../features/devices/chime";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { Screen } from "../features/live/use-screen";
import { RecordButton, RecordEntry } from "../features/recording/record-button";
import { RecorderControl } from "../features/recording/recorder-control";
import { RecordingBanners, RecordingSign } from "../features/recording/recording-banners";
import type { RecordingFailure } from "../features/recording/recording-problem";
import type { Unsent } from "./unsent";

/** Loud enough that everybody hears it, and not so loud that it drowns the person who speaks. */
const chimeLoudness = 0.1;

interface RecordingParts {
  /** For those who may record. */
  readonly button: ReactNode;
  /** The same in the menu of a narrow screen, which has no room for the button. */
  readonly entry: ReactNode;
  readonly banners: ReactNode;
  /** For the header of a phone, where banners take turns. */
  readonly sign: ReactNode;
}

/** What the feature of recordings adds to the screen of a meeting. */
export function useRecordingParts(
  meeting: LiveMeeting,
  { isNarrow }: Screen,
  unsent: Unsent,
): RecordingParts {
  const [control] = useState(() => new RecorderControl(meeting));
  useEffect(() => unsent.watch(control), [unsent, control]);
  const [failure, setFailure] = useState<RecordingFailure | null>(null);
  const running = useObservable(meeting.recordings.running);
  const you = useObservable(meeting.you);
  const whereabouts = useObservable(meeting.breakouts.whereabouts);
  const chime = () => void playChime(meeting.localMedia.chosen("speaker").get(), chimeLoudness);
  const mayRecord = you !== null && isOwnHost(you);
  const isPhone = obviousObstacle() === "mobile"; // where nothing can be recorded
  const props = {
    control,
    running,
    onPress: () => setFailure(null),
    onFailure: setFailure,
  };
  return {
    button: mayRecord ? <RecordButton {...props} isNarrow={isNarrow} /> : null,
    entry: mayRecord && isNarrow && !isPhone ? <RecordEntry {...props} /> : null,
    banners: (
      <RecordingBanners
        control={control}
        running={running}
        place={(whereabouts.movingTo ?? whereabouts).breakoutId}
        now={meeting.recordings.now}
        onChange={chime}
        isNarrow={isNarrow}
        failure={failure}
        onFailureSeen={() => setFailure(null)}
      />
    ),
    sign:
      running && isNarrow ? <RecordingSign running={running} now={meeting.recordings.now} /> : null,
  };
}
