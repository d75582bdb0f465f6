import { isSpeaker, type Knocking, type Person, raisedHands, spotlit } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Hand, MicOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PeopleActions, Powers, RoomName } from "./people-actions";
import { choicesAbout, mostSpotlights, type Onlooker } from "./person-choices";
import { PersonMenu } from "./person-menu";
import { PersonRow } from "./person-row";
import { RenameDialog } from "./rename-dialog";
import { WaitingList } from "./waiting-list";
import "./people-panel.css";

export interface PeoplePanelProps {
  readonly people: readonly Person[];
  /** The people who knock; empty for people who cannot admit them. */
  readonly waiting: readonly Knocking[];
  readonly isWebinar: boolean;
  readonly powers: Powers;
  /** Whether the person's own name is theirs to change. */
  readonly mayRename: boolean;
  readonly pinned: string | null;
  /** The main room and the breakout rooms while there are any; empty otherwise. */
  readonly rooms: readonly RoomName[];
  readonly actions: PeopleActions;
}

interface Group {
  readonly title: string;
  readonly people: readonly Person[];
  readonly hasMicrophones: boolean;
}

/** The panel with the people who wait, those with a raised hand, and everybody in the meeting. */
export function PeoplePanel(props: PeoplePanelProps) {
  const { people, waiting, isWebinar, powers, mayRename, pinned, rooms, actions } = props;
  const { t } = useTranslation();
  const [removing, setRemoving] = useState<Person | null>(null);
  const [renaming, setRenaming] = useState<Person | null>(null);
  const name = (person: Person) => person.name ?? t("tiles.someone");
  const hands = raisedHands(people);
  const onlooker: Onlooker = {
    powers,
    mayRename,
    isWebinar,
    pinned,
    hasBreakouts: rooms.length > 0,
    isSpotlightFull: spotlit(people).length >= mostSpotlights,
  };
  const elsewhere = (person: Person) =>
    person.isHere ? null : (rooms.find(({ id }) => id === person.breakoutId)?.name ?? null);
  const everyone = { title: t("people.inMeeting"), people, hasMicrophones: true };
  const groups = isWebinar ? webinarGroups(people, t) : [everyone];

  return (
    // The list can be scrolled, so the keyboard has to reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <div className="panel-body people" tabIndex={0}>
      {waiting.length > 0 ? <WaitingList waiting={waiting} actions={actions} /> : null}
      {hands.length > 0 ? (
        <RaisedHands
          people={hands}
          elsewhere={elsewhere}
          onLowerAll={powers === "none" ? null : actions.lowerAllHands}
        />
      ) : null}
      {groups.map((group, index) => (
        <List
          key={group.title}
          title={group.title}
          people={group.people}
          action={
            index === 0 && powers !== "none" && people.length > 1 ? (
              <Button look="quiet" icon={<MicOff size={16} />} onPress={actions.muteAll}>
                {t("people.muteAll")}
              </Button>
            ) : null
          }
        >
          {(person) => (
            <PersonRow
              key={person.identity}
              person={person}
              hasMicrophone={group.hasMicrophones}
              elsewhere={elsewhere(person)}
              menu={
                <PersonMenu
                  identity={person.identity}
                  name={name(person)}
                  choices={choicesAbout(person, onlooker)}
                  actions={actions}
                  rooms={rooms}
                  onRemove={() => setRemoving(person)}
                  onRename={() => setRenaming(person)}
                />
              }
            />
          )}
        </List>
      ))}
      {renaming ? (
        <RenameDialog
          name={renaming.name ?? ""}
          rename={actions.rename}
          onClose={() => setRenaming(null)}
        />
      ) : null}
      {removing ? (
        <Confirm
          title={t("people.removeTitle", { name: name(removing) })}
          text={t("people.removeText")}
          confirmLabel={t("people.choice.remove")}
          cancelLabel={t("cancel")}
          onConfirm={() => {
            actions.remove(removing.identity);
            setRemoving(null);
          }}
          onCancel={() => setRemoving(null)}
        />
      ) : null}
    </div>
  );
}

interface RaisedHandsProps {
  readonly people: readonly Person[];
  readonly elsewhere: (person: Person) => string | null;
  /** Null for people who cannot lower hands. */
  readonly onLowerAll: (() => void) | null;
}

function RaisedHands({ people, elsewhere, onLowerAll }: RaisedHandsProps) {
  const { t } = useTranslation();
  const lowerAll = onLowerAll ? (
    <Button look="quiet" icon={<Hand size={16} />} onPress={onLowerAll}>
      {t("people.lowerAllHands")}
    </Button>
  ) : null;
  return (
    <List title={t("people.hands")} people={people} action={lowerAll}>
      {(person) => (
        <PersonRow
          key={person.identity}
          person={person}
          hasMicrophone={false}
          elsewhere={elsewhere(person)}
          menu={null}
        />
      )}
    </List>
  );
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

interface ListProps {
  readonly title: string;
  readonly people: readonly Person[];
  readonly action: ReactNode;
  readonly children: (person: Person) => ReactNode;
}

function List({ title, people, action, children }: ListProps) {
  return (
    <section>
      <div className="people-head">
        <h3 className="people-title">
          {title} <span className="people-count">{people.length}</span>
        </h3>
        {action}
      </div>
      <ul aria-label={title}>{people.map(children)}</ul>
    </section>
  );
}
