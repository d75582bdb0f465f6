import { type LocalMedia, leadsToAudience, type WaitingRoom } from "@conclave/client/pre-join";
import { Avatar } from "@conclave/ui/avatar";
import { Button } from "@conclave/ui/button";
import { keepFocusIn } from "@conclave/ui/keep-focus";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { LockBadge } from "./lock-badge";
import { Preview, unknownSettings } from "./preview";
import "./pre-join.css";
import "./waiting-screen.css";

export interface WaitingScreenProps {
  readonly waitingRoom: Pick<WaitingRoom, "state" | "room">;
  readonly media: Pick<LocalMedia, keyof LocalMedia>;
  readonly visitor: { readonly name: string; readonly avatar: string | null };
  /** Whether nobody answered for an hour. */
  readonly hasExpired: boolean;
  readonly devices: ReactNode;
  readonly onAskAgain: () => void;
  readonly onLeave: () => void;
}

/** The screen of a person who waits to be admitted. They go in by themselves when they are. */
export function WaitingScreen(props: WaitingScreenProps) {
  const { waitingRoom, media, visitor, hasExpired, devices, onAskAgain, onLeave } = props;
  const { t } = useTranslation();
  const room = useObservable(waitingRoom.room);
  const state = useObservable(waitingRoom.state);
  const title = room?.name ?? t("join.membersRoom");
  const { section, sentence } = useFocus();
  return (
    <main className="pre-join">
      <Preview
        media={media}
        settings={room?.settings ?? unknownSettings}
        isAudience={leadsToAudience({ room, person: null })}
        placeholder={
          <span className="waiting-avatar">
            <Avatar name={visitor.name} avatar={visitor.avatar} />
          </span>
        }
        devices={devices}
      />
      <section ref={section} className="pre-join-form" aria-label={title}>
        <h1 className="pre-join-title" dir="auto">
          {title}
        </h1>
        {room ? <LockBadge encryption={room.encryption} /> : null}
        <div className={hasExpired ? "waiting-state" : "waiting-state waiting-state-live"}>
          {hasExpired ? null : <span className="waiting-dot" aria-hidden="true" />}
          <div>
            <p ref={sentence} className="waiting-text" role="status" tabIndex={-1}>
              {t(waitingText(hasExpired, state))}
            </p>
            {hasExpired ? null : <p>{t("waiting.stay")}</p>}
          </div>
        </div>
        {hasExpired ? (
          <Button look="primary" size="large" onPress={onAskAgain}>
            {t("waiting.again")}
          </Button>
        ) : null}
        <Button size="large" onPress={onLeave}>
          {t("waiting.leave")}
        </Button>
      </section>
    </main>
  );
}

/**
 * Gives the focus to the sentence that says what the person waits for. The button that led here is
 * gone, and later so is "Ask again".
 */
function useFocus() {
  const section = useRef<HTMLElement>(null);
  const sentence = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (!section.current || !sentence.current) return undefined;
    sentence.current.focus();
    return keepFocusIn(section.current, sentence.current);
  }, []);
  return { section, sentence };
}

function waitingText(
  hasExpired: boolean,
  state: ReturnType<WaitingRoom["state"]["get"]>,
): "waiting.expired" | "waiting.entering" | "waiting.forHost" | "waiting.knocking" {
  if (hasExpired) return "waiting.expired";
  if (state.kind === "admitted") return "waiting.entering";
  const isForHost = state.kind === "waiting" && state.decision === "wait_for_host";
  return isForHost ? "waiting.forHost" : "waiting.knocking";
}
