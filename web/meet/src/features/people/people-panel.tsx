import { isSpeaker, type Knocking, type Person, raisedHands, spotlit } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
import { useDialog } from "@conclave/ui/use-dialog";
import { Hand, MicOff } from "lucide-react";
import { type ReactNode, useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { OwnNameDialog } from "./own-name-dialog";
import type { Answer, PeopleActions, Powers, RoomName } from "./people-actions";
import { PeopleList } from "./people-list";
import { choicesAbout, mostSpotlights, type Onlooker } from "./person-choices";
import { PersonMenu } from "./person-menu";
import { WaitingList } from "./waiting-list";
import type { Marks } from "./waiting-marks";
import "./people-panel.css";

export interface PeoplePanelProps {
  readonly people: readonly Person[];
  /** The people who knock; empty for people who cannot admit them. */
  readonly waiting: readonly Knocking[];
  /** The identities of those who wait and whose answer is on its way. */
  readonly answered: Marks;
  readonly isWebinar: boolean;
  readonly powers: Powers;
  /** Whether the person's own name is theirs to change. */
  readonly mayRename: boolean;
  readonly pinned: string | null;
  /** The main room and the breakout rooms while there are any; empty otherwise. */
  readonly rooms: readonly RoomName[];
  readonly actions: PeopleActions;
  readonly onAnswer: Answer;
}

/** The panel with the people who wait, those with a raised hand, and everybody in the meeting. */
export function PeoplePanel(props: PeoplePanelProps) {
  const { people, waiting, powers, rooms, actions } = props;
  const removing = useDialog<Person>();
  const renaming = useDialog<Person>();
  const hands = raisedHands(people);
  return (
    // The list can be scrolled, so the keyboard has to reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <div className="panel-body people" tabIndex={0}>
      {waiting.length > 0 ? (
        <WaitingList
          waiting={waiting}
          answered={props.answered}
          onAnswer={props.onAnswer}
          onAdmitAll={actions.admitAll}
        />
      ) : null}
      {hands.length > 0 ? (
        <RaisedHands
          people={hands}
          rooms={rooms}
          onLowerAll={powers === "none" ? null : actions.lowerAllHands}
        />
      ) : null}
      <Everybody {...props} onRemove={removing.show} onRename={renaming.show} />
      {renaming.open ? (
        <OwnNameDialog
          name={renaming.open.name ?? ""}
          rename={actions.rename}
          onClose={renaming.close}
        />
      ) : null}
      {removing.open ? (
        <RemoveQuestion person={removing.open} onRemove={actions.remove} onClose={removing.close} />
      ) : null}
    </div>
  );
}

const noMenu = () => null;

interface RaisedHandsProps {
  readonly people: readonly Person[];
  readonly rooms: readonly RoomName[];
  /** Null for people who cannot lower hands. */
  readonly onLowerAll: (() => void) | null;
}

function RaisedHands({ people, rooms, onLowerAll }: RaisedHandsProps) {
  const { t } = useTranslation();
  const lowerAll = onLowerAll ? (
    <Button look="quiet" icon={<Hand size={16} />} onPress={onLowerAll}>
      {t("people.lowerAllHands")}
    </Button>
  ) : null;
  return (
    <PeopleList
      title={t("people.hands")}
      people={people}
      hasMicrophones={false}
      rooms={rooms}
      action={lowerAll}
      menu={noMenu}
    />
  );
}

interface EverybodyProps extends PeoplePanelProps {
  readonly onRemove: (person: Person) => void;
  readonly onRename: (person: Person) => void;
}

/** The people in the meeting, each with a menu of what can be done to them. */
function Everybody(props: EverybodyProps) {
  const { people, isWebinar, powers, rooms, actions } = props;
  const { t } = useTranslation();
  const menu = useMenu(props);
  const muteAll =
    powers !== "none" && people.length > 1 ? (
      <Button look="quiet" icon={<MicOff size={16} />} onPress={actions.muteAll}>
        {t("people.muteAll")}
      </Button>
    ) : null;
  const title = t("people.inMeeting");
  const list = (group: Group, action: ReactNode) => (
    <PeopleList {...group} rooms={rooms} action={action} menu={menu} />
  );
  if (!isWebinar) return list({ title, people, hasMicrophones: true }, muteAll);
  return (
    <ul aria-label={title} className="people-groups">
      {webinarGroups(people, t).map((group, index) => (
        <li key={group.title}>{list(group, index === 0 ? muteAll : null)}</li>
      ))}
    </ul>
  );
}

/** Returns how a person's menu is drawn. Stays the same while the menus do. */
function useMenu(props: EverybodyProps): (person: Person) => ReactNode {
  const { rooms, actions, onRemove, onRename } = props;
  const { t } = useTranslation();
  const onlooker = useOnlooker(props);
  return useCallback(
    (person: Person) => (
      <PersonMenu
        identity={person.identity}
        name={person.name ?? t("tiles.someone")}
        choices={choicesAbout(person, onlooker)}
        actions={actions}
        rooms={rooms}
        onRemove={() => onRemove(person)}
        onRename={() => onRename(person)}
      />
    ),
    [onlooker, rooms, actions, onRemove, onRename, t],
  );
}

function useOnlooker(props: PeoplePanelProps): Onlooker {
  const { people, isWebinar, powers, mayRename, pinned, rooms } = props;
  const hasBreakouts = rooms.length > 0;
  const isSpotlightFull = spotlit(people).length >= mostSpotlights;
  return useMemo(
    () => ({ powers, mayRename, isWebinar, pinned, hasBreakouts, isSpotlightFull }),
    [powers, mayRename, isWebinar, pinned, hasBreakouts, isSpotlightFull],
  );
}

interface Group {
  readonly title: string;
  readonly people: readonly Person[];
  readonly hasMicrophones: boolean;
}

function webinarGroups(
  people: readonly Person[],
  t: ReturnType<typeof useTranslation>["t"],
): readonly Group[] {
  const speakers = people.filter(isSpeaker);
  const audience = people.filter((person) => !isSpeaker(person));
  return [
    { title: t("people.onStage"), people: speakers, hasMicrophones: true },
    { title: t("people.audience"), people: audience, hasMicrophones: false },
  ].filter((group) => group.people.length > 0);
}

interface RemoveQuestionProps {
  readonly person: Person;
  readonly onRemove: (identity: string) => void;
  readonly onClose: () => void;
}

/** Asks whether to remove the person from the meeting. */
function RemoveQuestion({ person, onRemove, onClose }: RemoveQuestionProps) {
  const { t } = useTranslation();
  return (
    <Confirm
      title={
        <Named
          name={person.name ?? t("tiles.someone")}
          words={(name) => t("people.removeTitle", { name })}
        />
      }
      text={t("people.removeText")}
      confirmLabel={t("people.choice.remove")}
      cancelLabel={t("cancel")}
      onConfirm={() => {
        onRemove(person.identity);
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
