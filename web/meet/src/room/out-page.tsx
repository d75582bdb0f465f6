import { useObservable } from "@conclave/ui/use-observable";
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
  const hasRest = useObservable(unsent.hasRest);
  const lossKey = endProblem(lossOf(useObservable(unsent.ended)));
  const restKey = useObservable(unsent.isStalled) ? "recording.stalled" : "recording.sending";
  const textKey = hasRest ? restKey : lossKey;
  return (
    <OutScreen
      {...props}
      recording={textKey && t(textKey)}
      // While the rest is being sent, leaving would stop it.
      onContinue={hasRest ? null : onContinue}
    />
  );
}
