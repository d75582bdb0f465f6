import { type BreakoutPlan, limits, type Person, personOf } from "@conclave/client";

/** How people are assigned to rooms. */
export type Assignment = "auto" | "manual" | "none";

/** What a host has chosen so far. */
export interface Draft {
  readonly count: number;
  readonly isNamed: boolean;
  /** Names by the room's number from 0; rooms without a name are called by their number. */
  readonly names: readonly string[];
  readonly assignment: Assignment;
  readonly includeHosts: boolean;
  /** The number of each person's room, from 0, by the person's id. */
  readonly placed: ReadonlyMap<string, number>;
  readonly autoJoin: boolean;
  readonly allowReturn: boolean;
  /** Null: no limit, until a host closes the rooms. */
  readonly minutes: number | null;
}

export const roomLimit = limits.breakoutRooms;
export const nameLimit = limits.breakoutName;
export const durations: readonly number[] = [1, 5, 10, 15, 20, 30, 45, 60, 90, 120, 240];

export const firstDraft: Draft = {
  count: 2,
  isNamed: false,
  names: [],
  assignment: "auto",
  includeHosts: false,
  placed: new Map(),
  autoJoin: true,
  allowReturn: true,
  minutes: null,
};

/** The people that a host can assign by hand, each once: all devices of a person go to one room. */
export function placeable(
  people: readonly Pick<Person, "identity" | "name">[],
): readonly { id: string; name: string }[] {
  const names = new Map<string, string>();
  for (const { identity, name } of people) {
    const id = personOf(identity);
    if (name !== null && !names.has(id)) names.set(id, name);
  }
  return [...names].map(([id, name]) => ({ id, name }));
}

/** How many people have no room yet, and so would stay in the main room. */
export function unplaced(draft: Draft, people: readonly { readonly id: string }[]): number {
  return people.filter(({ id }) => (draft.placed.get(id) ?? draft.count) >= draft.count).length;
}

/**
 * How many people the service would assign by chance: hosts and co-hosts only if they are included.
 * At most, because it leaves out people whose software does not move, and tells nobody who they are.
 */
export function dealable(
  people: readonly Pick<Person, "identity" | "name" | "role">[],
  includeHosts: boolean,
): number {
  const hosts = people.filter(({ role }) => role === "host");
  const staying = new Set(includeHosts ? [] : hosts.map(({ identity }) => personOf(identity)));
  return placeable(people).filter(({ id }) => !staying.has(id)).length;
}

/** Rooms that get equally many people in an automatic deal. */
export interface DealtRooms {
  readonly rooms: number;
  /** How many people each of them gets. */
  readonly people: number;
}

/**
 * How large the rooms become in an automatic deal, the larger ones first. The service deals people
 * out one by one, so the sizes differ by one at most.
 */
export function dealtRooms(people: number, rooms: number): readonly DealtRooms[] {
  const fewest = Math.floor(people / rooms);
  const larger = people % rooms;
  const sizes = [
    { rooms: larger, people: fewest + 1 },
    { rooms: rooms - larger, people: fewest },
  ];
  return sizes.filter((size) => size.rooms > 0);
}

/** The names of a draft's rooms, with the service's default names for the others. */
export function roomNames(draft: Draft, unnamed: (number: number) => string): readonly string[] {
  return Array.from({ length: draft.count }, (_, index) => {
    const name = draft.isNamed ? (draft.names[index]?.trim() ?? "") : "";
    return name === "" ? unnamed(index + 1) : name;
  });
}

/** The request to the service. Leaves out settings that do not apply to the kind of assignment. */
export function planOf(draft: Draft): BreakoutPlan {
  const { count, isNamed, names, assignment, autoJoin, allowReturn, minutes } = draft;
  const named = Array.from({ length: count }, (_, index) => names[index]?.trim() ?? "");
  const placements = [...draft.placed]
    .filter(([, room]) => room < count)
    .map(([participant, room]) => ({ participant, room }));
  return {
    rooms: isNamed ? named : count,
    assign: assignment,
    ...(assignment === "manual" ? { placements } : {}),
    ...(assignment === "auto" ? { include_hosts: draft.includeHosts } : {}),
    ...(assignment === "none" ? {} : { auto_join: autoJoin }),
    allow_return: allowReturn,
    ...(minutes === null ? {} : { duration_seconds: minutes * 60 }),
  };
}
