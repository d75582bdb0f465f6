import type { LocalMedia } from "@conclave/client/door";
import { useObservable } from "@conclave/ui/use-observable";
import { DeviceSelect } from "../features/devices/device-select";
import { LevelBars } from "../features/devices/level-bars";
import { TestSpeaker } from "../features/devices/test-speaker";

/** Devices before the meeting: which ones, whether the microphone hears, whether the speaker sounds. */
export function PreJoinDevices({ media }: { readonly media: Pick<LocalMedia, keyof LocalMedia> }) {
  const microphone = useObservable(media.microphone);
  const speaker = useObservable(media.chosen("speaker"));
  return (
    <>
      <div className="pre-join-devices">
        <DeviceSelect kind="microphone" media={media} />
        <DeviceSelect kind="camera" media={media} />
        <DeviceSelect kind="speaker" media={media} />
      </div>
      <div className="pre-join-sound">
        <LevelBars track={microphone.on ? microphone.track : null} />
        <TestSpeaker speaker={speaker} />
      </div>
    </>
  );
}
