import type { MemberService, ShutOutDevice } from "@conclave/client/recording/member-service";
import { letIn } from "@conclave/client/recording/own-device";
import { Button } from "@conclave/ui/button";
import { Named } from "@conclave/ui/named";
import type { Phrase } from "@conclave/ui/when";
import { useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { codeOf } from "../../member/code-of";
import { problemPhrase } from "./problem-phrase";

export interface LetInProps {
  readonly recordingId: string;
  readonly recordingKey: Uint8Array<ArrayBuffer>;
  readonly member: MemberService;
}

/** The devices that cannot open the recording, until they are let in. */
function useShutOut({ recordingId, recordingKey, member }: LetInProps) {
  const [devices, setDevices] = useState<readonly ShutOutDevice[]>([]);
  const [state, setState] = useState<"idle" | "asking" | "done">("idle");
  const [problem, setProblem] = useState<Phrase | null>(null);

  useEffect(() => {
    let isCurrent = true;
    member.shutOutDevices(recordingId).then(
      (found) => isCurrent && setDevices(found),
      (error: unknown) => isCurrent && setProblem(problemPhrase(codeOf(error))),
    );
    return () => {
      isCurrent = false;
    };
  }, [member, recordingId]);

  const admit = async () => {
    setState("asking");
    setProblem(null);
    try {
      await letIn(member, recordingId, recordingKey, devices);
      setDevices([]);
      setState("done");
    } catch (error) {
      setProblem(problemPhrase(codeOf(error)));
      setState("idle");
    }
  };
  return { devices, state, problem, admit };
}

/** Lets other devices open an end_to_end recording, once the person presses the button. */
export function LetIn(props: LetInProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const { devices, state, problem, admit } = useShutOut(props);

  return (
    <>
      {devices.length > 0 ? (
        <section className="recordings-let-in" aria-labelledby={titleId}>
          <h3 className="member-item-title" id={titleId}>
            {t("recordings.shutOut")}
          </h3>
          <ul className="recordings-devices" aria-labelledby={titleId}>
            {devices.map(({ id, name, owner }) => (
              <li key={id}>
                <bdi>
                  <Named
                    name={owner}
                    words={(who) => t("recordings.deviceOf", { device: name, owner: who })}
                  />
                </bdi>
              </li>
            ))}
          </ul>
          <p className="member-note">{t("recordings.shutOutText")}</p>
          <Button isBusy={state === "asking"} onPress={() => void admit()}>
            {t("recordings.letIn")}
          </Button>
        </section>
      ) : null}
      <p className="member-note recordings-news" role="status">
        {state === "done" ? t("recordings.wereLetIn") : ""}
      </p>
      {problem ? (
        <p className="member-failure" role="alert">
          {t(problem.key, problem.values)}
        </p>
      ) : null}
    </>
  );
}
