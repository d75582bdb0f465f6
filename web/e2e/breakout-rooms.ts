import { type Person, soon } from "./people";
import type { Room, ServiceUnderTest } from "./service";

/** Breakout rooms as the API shows them. */
export interface Session {
  readonly rooms: readonly {
    readonly id: string;
    readonly name: string;
    readonly members: readonly { readonly name: string; readonly present: boolean }[];
  }[];
  readonly unassigned: readonly { readonly name: string }[];
}

/** The open rooms; an empty list if there are none. */
export async function openSession(service: ServiceUnderTest, room: Room): Promise<Session> {
  const path = `/rooms/${room.id}/breakouts`;
  const envelope = await service.call<{ active: Session | null }>("GET", path);
  return envelope.active ?? { rooms: [], unassigned: [] };
}

/** Opens two rooms through the API, with people in them by name. */
export async function openBreakouts(
  service: ServiceUnderTest,
  room: Room,
  placed: Record<string, number>,
  more: object = {},
): Promise<Session> {
  const people = await service.participants(room);
  const placements = Object.entries(placed).map(([name, index]) => ({
    participant: people.find((person) => person.name === name)?.identity,
    room: index,
  }));
  const body = { rooms: 2, assign: "manual", placements, ...more };
  return service.call("POST", `/rooms/${room.id}/breakouts`, body);
}

/** The room that the header says the person is in. */
export function isIn(person: Person, place: string): Promise<void> {
  const header = person.page.getByRole("banner");
  return header.getByText(place, { exact: true }).waitFor(soon);
}
