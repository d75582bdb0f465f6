import type { LocalMedia } from "@conclave/client/door";
import { useObservable } from "@conclave/ui/use-observable";
import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./device-alerts.css";

/** Says why the microphone or camera does not work, and what to do about it. */
export function DeviceAlerts({
  media,
}: {
  readonly media: Pick<LocalMedia, "microphone" | "camera">;
}) {
  const { t } = useTranslation();
  const problems = {
    camera: useObservable(media.camera).problem,
    microphone: useObservable(media.microphone).problem,
  };
  return (["camera", "microphone"] as const).map((kind) => {
    const problem = problems[kind];
    return problem === null ? null : (
      <p key={kind} className="device-alert" role="alert">
        <TriangleAlert size={20} aria-hidden="true" />
        {t(`devices.problem.${kind}.${problem}`)}
      </p>
    );
  });
}
