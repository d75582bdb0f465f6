import type { Person } from "@conclave/client";
import type { ReactNode } from "react";
import type { RoomName } from "./people-actions";
import { PersonRow } from "./person-row";

export interface PeopleListProps {
  readonly title: string;
  readonly people: readonly Person[];
  /** False for an audience, which has no microphones. */
  readonly hasMicrophones: boolean;
  readonly rooms: readonly RoomName[];
  /** The button beside the title, about all of the people. */
  readonly action: ReactNode;
  /** The same function as long as it draws the same menus. */
  readonly menu: (person: Person) => ReactNode;
}

/** People under a title with their number. */
export function PeopleList(props: PeopleListProps) {
  const { title, people, hasMicrophones, rooms, action, menu } = props;
  return (
    <section>
      <div className="people-head">
        <h3 className="people-title">
          {title} <span className="people-count">{people.length}</span>
        </h3>
        {action}
      </div>
      <ul aria-label={title}>
        {people.map((person) => (
          <PersonRow
            key={person.identity}
            person={person}
            hasMicrophone={hasMicrophones}
            elsewhere={elsewhere(person, rooms)}
            menu={menu}
          />
        ))}
      </ul>
    </section>
  );
}

/** The name of the person's room, if it is another one. */
function elsewhere({ isHere, breakoutId }: Person, rooms: readonly RoomName[]): string | null {
  if (isHere) return null;
  return rooms.find(({ id }) => id === breakoutId)?.name ?? null;
}
