import type { DeviceProblem, LocalMedia, SourceKind } from "@conclave/client/pre-join";
import { useTurn } from "@conclave/ui/banner";
import { IconButton } from "@conclave/ui/icon-button";
import { useObservable } from "@conclave/ui/use-observable";
import { TriangleAlert, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import "./device-alerts.css";

type Media = Pick<LocalMedia, "microphone" | "camera">;

/** Shows a device's problems that begin during the meeting, and does not repeat earlier ones. */
export function DeviceNotices({ media }: { readonly media: Media }) {
  return (
    <>
      <DeviceNotice kind="microphone" media={media} />
      <DeviceNotice kind="camera" media={media} />
    </>
  );
}

function DeviceNotice({ kind, media }: { readonly kind: SourceKind; readonly media: Media }) {
  const { t } = useTranslation();
  const { problem } = useObservable(media[kind]);
  const [seen, setSeen] = useState<DeviceProblem | null>(problem);
  // Once a device works, or is tried again, the next problem is a new one.
  if (problem === null && seen !== null) setSeen(null);
  if (problem === null || problem === seen) return null;
  const text = t(`devices.problem.${kind}.${problem}`, { context: "inside" });
  return <Alert text={text} onSeen={() => setSeen(problem)} />;
}

interface AlertProps {
  readonly text: string;
  readonly onSeen: () => void;
}

function Alert({ text, onSeen }: AlertProps) {
  const { t } = useTranslation();
  if (!useTurn("news")) return null;
  return (
    <p className="device-alert device-notice" role="alert">
      <TriangleAlert size={20} aria-hidden="true" />
      {text}
      <IconButton label={t("banner.dismiss")} icon={<X size={16} />} onPress={onSeen} />
    </p>
  );
}
