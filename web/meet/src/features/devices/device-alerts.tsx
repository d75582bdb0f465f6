import type { DeviceProblem, LocalMedia } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { useObservable } from "@conclave/ui/use-observable";
import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./device-alerts.css";

type Media = Pick<LocalMedia, "microphone" | "camera" | "setMicrophone" | "setCamera">;

/** Says in one message why microphone and camera do not work, and tries them again. */
export function DeviceAlerts({ media }: { readonly media: Media }) {
  const { t } = useTranslation();
  const camera = useObservable(media.camera).problem;
  const microphone = useObservable(media.microphone).problem;
  const sentences = sentencesOf(camera, microphone);
  if (sentences.length === 0) return null;
  const retry = async () => {
    // One after the other, so that the browser's questions do not cover each other.
    if (camera) await media.setCamera(true);
    if (microphone) await media.setMicrophone(true);
  };
  return (
    <div className="device-alert device-alert-retry">
      <TriangleAlert size={20} aria-hidden="true" />
      <p className="device-alert-text" role="alert">
        {sentences.map((key) => t(key)).join(". ")}
      </p>
      <Button onPress={() => void retry()}>{t("devices.retry")}</Button>
    </div>
  );
}

type Sentence = `devices.problem.${"camera" | "microphone" | "both"}.${DeviceProblem}`;

/** What to say: one sentence for both devices if the same keeps them from working. */
export function sentencesOf(
  camera: DeviceProblem | null,
  microphone: DeviceProblem | null,
): readonly Sentence[] {
  if (camera && camera === microphone) return [`devices.problem.both.${camera}`];
  const sentences: Sentence[] = [];
  if (camera) sentences.push(`devices.problem.camera.${camera}`);
  if (microphone) sentences.push(`devices.problem.microphone.${microphone}`);
  return sentences;
}
