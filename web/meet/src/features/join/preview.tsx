import type { LocalMedia, RoomSettings } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { Mic, MicOff, Video, VideoOff } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SelfPreview } from "./self-preview";
import "./preview.css";

/** The room's settings for people who join. */
export type EntrySettings = Pick<RoomSettings, "mute_on_entry" | "camera_off_on_entry">;

/** For a room that the person may not know. Its settings apply once they are admitted. */
export const unknownSettings: EntrySettings = { mute_on_entry: false, camera_off_on_entry: false };

export interface PreviewProps {
  readonly media: Pick<LocalMedia, keyof LocalMedia>;
  readonly settings: EntrySettings;
  /** An audience is neither seen nor heard. */
  readonly isAudience: boolean;
  /** Shown while the camera is off. */
  readonly placeholder: ReactNode;
  readonly devices: ReactNode;
}

/** The preview of what others will see and hear, with the buttons to switch it on and off. */
export function Preview({ media, settings, isAudience, placeholder, devices }: PreviewProps) {
  return (
    <section className="preview">
      <div className="preview-picture">
        {isAudience ? (
          <div className="preview-off">{placeholder}</div>
        ) : (
          <>
            <SelfPreview media={media} placeholder={placeholder} />
            <SourceToggles media={media} settings={settings} />
          </>
        )}
      </div>
      {devices}
    </section>
  );
}

interface SourceTogglesProps {
  readonly media: Pick<LocalMedia, keyof LocalMedia>;
  readonly settings: EntrySettings;
}

/**
 * The title is the tooltip and also the name: beside an equal `aria-label`, Chromium would make it
 * a description, and screen readers would say it twice.
 */
function SourceToggles({ media, settings }: SourceTogglesProps) {
  const { t } = useTranslation();
  const microphone = useObservable(media.microphone);
  const camera = useObservable(media.camera);
  return (
    <div className="preview-toggles">
      <button
        type="button"
        className="preview-toggle"
        title={t("join.microphone")}
        aria-pressed={microphone.on}
        disabled={settings.mute_on_entry}
        onClick={() => void media.setMicrophone(!microphone.on)}
      >
        {microphone.on ? <Mic size={20} /> : <MicOff size={20} />}
      </button>
      <button
        type="button"
        className="preview-toggle"
        title={t("join.camera")}
        aria-pressed={camera.on}
        disabled={settings.camera_off_on_entry}
        onClick={() => void media.setCamera(!camera.on)}
      >
        {camera.on ? <Video size={20} /> : <VideoOff size={20} />}
      </button>
    </div>
  );
}
