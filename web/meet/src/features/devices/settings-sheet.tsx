import type { LocalMedia } from "@conclave/client/pre-join";
import { Sheet } from "@conclave/ui/sheet";
import { useObservable } from "@conclave/ui/use-observable";
import { useTranslation } from "react-i18next";
import { DeviceAlerts } from "./device-alerts";
import { DeviceSelect } from "./device-select";
import { LevelBars } from "./level-bars";
import { TestSpeaker } from "./test-speaker";

export interface SettingsSheetProps {
  readonly media: Pick<LocalMedia, keyof LocalMedia>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The settings during a meeting: the devices. */
export function SettingsSheet({ media, isOpen, onClose }: SettingsSheetProps) {
  const { t } = useTranslation();
  const microphone = useObservable(media.microphone);
  const speaker = useObservable(media.chosen("speaker"));
  return (
    <Sheet title={t("devices.settings")} closeLabel={t("close")} isOpen={isOpen} onClose={onClose}>
      <DeviceAlerts media={media} />
      <DeviceSelect kind="microphone" media={media} isLabelShown />
      {microphone.on && microphone.track ? <LevelBars track={microphone.track} /> : null}
      <DeviceSelect kind="camera" media={media} isLabelShown />
      <DeviceSelect kind="speaker" media={media} isLabelShown />
      <TestSpeaker speaker={speaker} />
    </Sheet>
  );
}
