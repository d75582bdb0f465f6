import type { RecordingEnd } from "@conclave/client/recording/recorder";
import { useObservable } from "@conclave/ui/use-observable";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { OutScreen, type OutScreenProps } from "../features/join/out-screen";
import { endProblem } from "../features/recording/recording-problem";
import { lossOf, type Unsent } from "./unsent";

export interface OutPageProps extends Omit<OutScreenProps, "recording"> {
  readonly unsent: Unsent;
}

/** The screen after a meeting, which says what becomes of the person's recording. */
export function OutPage({ unsent, onContinue, ...props }: OutPageProps) {
  const { t } = useTranslation();
  const [hadRest] = useState(() => unsent.hasRest.get());
  const hasRest = useObservable(unsent.hasRest);
  const isStalled = useObservable(unsent.isStalled);
  const end = useObservable(unsent.ended);
  const { isOfMember } = unsent;
  const textKey = newsOf({ hadRest, hasRest, isStalled, end, isOfMember });
  return (
    <OutScreen
      {...props}
      recording={textKey && t(textKey)}
      // While the rest is being sent, leaving would stop it.
      onContinue={hasRest ? null : onContinue}
    />
  );
}

interface Sending {
  /** Whether there was something to send when the screen came. */
  readonly hadRest: boolean;
  readonly hasRest: boolean;
  readonly isStalled: boolean;
  readonly end: RecordingEnd | null;
  /** Whether the person finds it with their account. */
  readonly isOfMember: boolean;
}

/** What to say of a recording, as a key of the message catalogue; null if there is nothing to say. */
export function newsOf({ hadRest, hasRest, isStalled, end, isOfMember }: Sending) {
  if (hasRest) return isStalled ? "recording.stalled" : "recording.sending";
  const lossKey = endProblem(lossOf(end));
  if (lossKey !== null) return lossKey;
  // Without an end nothing was recorded. After a crash the next page sends what this one stored.
  if (!hadRest || end === null || end === "encoder") return null;
  return isOfMember ? "recording.sent" : "recording.sentForMembers";
}
