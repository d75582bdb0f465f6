import {
  type Device,
  type DeviceKind,
  deviceLabel,
  type LocalMedia,
} from "@conclave/client/pre-join";
import { SelectField } from "@conclave/ui/select-field";
import { useObservable } from "@conclave/ui/use-observable";
import { Mic, Video, Volume2 } from "lucide-react";
import { useTranslation } from "react-i18next";

const unnamed = {
  microphone: "devices.unnamedMicrophone",
  camera: "devices.unnamedCamera",
  speaker: "devices.unnamedSpeaker",
} as const;

const icons = {
  microphone: <Mic size={16} />,
  camera: <Video size={16} />,
  speaker: <Volume2 size={16} />,
} as const;

export interface DeviceSelectProps {
  readonly kind: DeviceKind;
  readonly media: Pick<LocalMedia, "devices" | "chosen" | "choose">;
  readonly isLabelShown?: boolean;
}

/** Chooses a microphone, camera or speaker. Not shown if the browser offers no choice. */
export function DeviceSelect({ kind, media, isLabelShown = false }: DeviceSelectProps) {
  const { t } = useTranslation();
  const devices = useObservable(media.devices)[kind];
  const chosen = useObservable(media.chosen(kind));
  if (devices.length === 0) return null;
  const named = devices.map((device: Device, index) => ({
    value: device.id,
    label: deviceLabel(device, index, t(unnamed[kind])),
  }));
  // Chromium lists the default device itself; for other browsers an option is added.
  const needsDefault = devices.length > 1 && !devices.some(({ id }) => id === "default");
  const options = !needsDefault ? named : [{ value: "", label: t("devices.default") }, ...named];
  const value = options.some((option) => option.value === chosen)
    ? chosen
    : (options[0]?.value ?? "");
  return (
    <SelectField
      label={t(`devices.${kind}`)}
      value={value}
      options={options}
      icon={icons[kind]}
      isLabelShown={isLabelShown}
      onChange={(id) => void media.choose(kind, id)}
    />
  );
}
