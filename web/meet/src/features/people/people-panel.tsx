import { type Person, raisedHands } from "@conclave/client";
import { Avatar } from "@conclave/ui/avatar";
import { Hand, Mic, MicOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./people-panel.css";

/** Who is here, and whose hand is up. */
export function PeoplePanel({ people }: { readonly people: readonly Person[] }) {
  const { t } = useTranslation();
  const hands = raisedHands(people);
  return (
    // The list can be scrolled, so the keyboard has to reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <div className="panel-body people" tabIndex={0}>
      {hands.length > 0 ? <List title={t("people.hands")} people={hands} /> : null}
      <List title={t("people.inMeeting")} people={people} />
    </div>
  );
}

function List({ title, people }: { readonly title: string; readonly people: readonly Person[] }) {
  return (
    <section>
      <h3 className="people-title">
        {title} <span className="people-count">{people.length}</span>
      </h3>
      <ul aria-label={title}>
        {people.map((person) => (
          <Row key={person.identity} person={person} />
        ))}
      </ul>
    </section>
  );
}

function Row({ person }: { readonly person: Person }) {
  const { t } = useTranslation();
  const name = person.name ?? t("stage.someone");
  const state = person.microphone ? t("people.micOn") : t("people.micOff");
  return (
    <li className="people-row">
      <span className="people-avatar">
        <Avatar name={name} avatar={person.avatar} />
      </span>
      <span className="people-name">
        <bdi>{person.isMe ? t("stage.you", { name }) : name}</bdi>
      </span>
      {person.role === "host" ? <span className="people-badge">{t("people.host")}</span> : null}
      {person.handRaised ? (
        <Hand size={20} className="people-hand" role="img" aria-label={t("stage.hand")} />
      ) : null}
      {person.microphone ? (
        <Mic size={20} role="img" aria-label={state} />
      ) : (
        <MicOff size={20} className="people-quiet" role="img" aria-label={state} />
      )}
    </li>
  );
}
