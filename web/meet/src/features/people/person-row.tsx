import { isOwnHost, type Person } from "@conclave/client";
import { Avatar } from "@conclave/ui/avatar";
import { Named } from "@conclave/ui/named";
import { Hand, Mic, MicOff } from "lucide-react";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

export interface PersonRowProps {
  readonly person: Person;
  /** False for an audience, which has no microphones. */
  readonly hasMicrophone: boolean;
  /** The name of the person's room, if it is another one. */
  readonly elsewhere: string | null;
  readonly menu: (person: Person) => ReactNode;
}

/** One person in a list. Memoised, so that who speaks does not draw hundreds of others again. */
export const PersonRow = memo(function PersonRow(props: PersonRowProps) {
  const { person, hasMicrophone, elsewhere, menu } = props;
  const { t } = useTranslation();
  const name = person.name ?? t("tiles.someone");
  return (
    <li className="people-row">
      <span className="people-avatar">
        <Avatar name={name} avatar={person.avatar} />
      </span>
      <span className="people-name">
        <bdi>
          {person.isMe ? (
            <Named name={name} words={(who) => t("tiles.you", { name: who })} />
          ) : (
            name
          )}
        </bdi>
        {elsewhere === null ? null : (
          <span className="people-room">
            <span className="visually-hidden">{t("people.inRoom")}</span> <bdi>{elsewhere}</bdi>
          </span>
        )}
      </span>
      {person.role === "host" ? (
        <span className="people-badge">
          {isOwnHost(person) ? t("people.host") : t("people.cohost")}
        </span>
      ) : null}
      {person.handRaised ? (
        <Hand size={20} className="people-hand" role="img" aria-label={t("tiles.hand")} />
      ) : null}
      {hasMicrophone && person.isHere && person.connected ? (
        <Microphone isOn={person.microphone} />
      ) : null}
      {menu(person)}
    </li>
  );
});

function Microphone({ isOn }: { readonly isOn: boolean }) {
  const { t } = useTranslation();
  if (isOn) return <Mic size={20} role="img" aria-label={t("people.micOn")} />;
  return <MicOff size={20} className="people-quiet" role="img" aria-label={t("people.micOff")} />;
}
