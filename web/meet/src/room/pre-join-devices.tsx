import type { LocalMedia } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { DeviceSelect } from "../features/devices/device-select";
import { LevelBars } from "../features/devices/level-bars";
import { TestSpeaker } from "../features/devices/test-speaker";

export interface PreJoinDevicesProps {
  readonly media: Pick<LocalMedia, keyof LocalMedia>;
  /** An audience only listens, so it chooses only a speaker. */
  readonly isAudience: boolean;
}

/**
 * The choice of devices before the meeting, with the microphone's level and a test of the speaker.
 */
export function PreJoinDevices({ media, isAudience }: PreJoinDevicesProps) {
  const microphone = useObservable(media.microphone);
  const speaker = useObservable(media.chosen("speaker"));
  return (
    <>
      <div className="pre-join-devices">
        {isAudience ? null : <DeviceSelect kind="microphone" media={media} />}
        {isAudience ? null : <DeviceSelect kind="camera" media={media} />}
        <DeviceSelect kind="speaker" media={media} />
      </div>
      <div className="pre-join-sound">
        {isAudience || !microphone.track ? null : (
          <LevelBars track={microphone.on ? microphone.track : null} />
        )}
        <TestSpeaker speaker={speaker} />
      </div>
    </>
  );
}
