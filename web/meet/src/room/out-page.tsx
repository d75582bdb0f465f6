import type { RecordingEnd } from "@conclave/client/recording/recorder";
import { useObservable } from "@conclave/ui/use-observable";
import { useTranslation } from "react-i18next";
import { OutScreen, type OutScreenProps } from "../features/join/out-screen";
import { endProblem } from "../features/recording/recording-problem";
import type { Unsent } from "./unsent";

export interface OutPageProps extends Omit<OutScreenProps, "recording"> {
  readonly unsent: Unsent;
}

/** The screen after a meeting, which says what becomes of the person's recording. */
export function OutPage({ unsent, ...props }: OutPageProps) {
  const { t } = useTranslation();
  const hasRest = useObservable(unsent.hasRest);
  const lossKey = lossOf(useObservable(unsent.ended));
  const textKey = hasRest ? "recording.sending" : lossKey;
  return <OutScreen {...props} recording={textKey && t(textKey)} />;
}

/** Why not all of a recording could be sent, as a key of the message catalogue; null if it was. */
export function lossOf(end: RecordingEnd | null) {
  switch (end) {
    case "storage_full":
    case "limit_reached":
    case "too_late":
    case "deleted":
      return endProblem(end);
    default:
      return null;
  }
}
