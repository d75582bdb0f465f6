import { expect, test } from "vitest";
import {
  type Draft,
  dealable,
  dealtRooms,
  firstDraft,
  placeable,
  planOf,
  roomNames,
  unplaced,
} from "./plan";

function draft(more: Partial<Draft>): Draft {
  return { ...firstDraft, ...more };
}

test("the default is numbered rooms and automatic assignment", () => {
  expect(planOf(firstDraft)).toEqual({
    rooms: 2,
    assign: "auto",
    include_hosts: false,
    auto_join: true,
    allow_return: true,
  });
});

test("there is a name for each room, and a room without one keeps its number", () => {
  const named = draft({ count: 3, isNamed: true, names: [" Attic ", "", "Cellar", "Garden"] });
  expect(planOf(named).rooms).toEqual(["Attic", "", "Cellar"]);
  expect(roomNames(named, (number) => `Room ${number}`)).toEqual(["Attic", "Room 2", "Cellar"]);
  expect(planOf({ ...named, isNamed: false }).rooms).toBe(3);
});

test("by hand, people go only into rooms that exist", () => {
  const placed = new Map([
    ["guest_a", 0],
    ["guest_b", 2],
  ]);
  expect(planOf(draft({ assignment: "manual", placed })).placements).toEqual([
    { participant: "guest_a", room: 0 },
  ]);
  expect(planOf(draft({ placed })).placements).toBeUndefined();
});

test("if people choose their rooms, nobody is assigned or moved", () => {
  expect(planOf(draft({ assignment: "none", minutes: 10, allowReturn: false }))).toEqual({
    rooms: 2,
    assign: "none",
    allow_return: false,
    duration_seconds: 600,
  });
});

test("each named person is placed once, with all their devices", () => {
  const people = [
    { identity: "user_kit.1", name: "Kit" },
    { identity: "user_kit.2", name: "Kit" },
    { identity: "guest_a.1", name: null },
    { identity: "api_b.c.1", name: "Bea" },
  ];
  expect(placeable(people)).toEqual([
    { id: "user_kit", name: "Kit" },
    { id: "api_b.c", name: "Bea" },
  ]);
});

test("people without a room are counted, and so are those whose room is gone", () => {
  const people = [{ id: "guest_a" }, { id: "guest_b" }, { id: "guest_c" }];
  const placed = new Map([
    ["guest_a", 0],
    ["guest_b", 2],
    ["guest_gone", 1],
  ]);
  expect(unplaced(draft({ count: 3, placed }), people)).toBe(1);
  expect(unplaced(draft({ count: 2, placed }), people)).toBe(2);
});

test.each([
  { people: 6, rooms: 2, sizes: [3, 3] },
  { people: 3, rooms: 2, sizes: [2, 1] },
  { people: 11, rooms: 4, sizes: [3, 3, 3, 2] },
  { people: 1, rooms: 3, sizes: [1, 0, 0] },
  { people: 0, rooms: 2, sizes: [0, 0] },
])("$people people in $rooms rooms are dealt as $sizes", ({ people, rooms, sizes }) => {
  const dealt = dealtRooms(people, rooms);
  expect(dealt.flatMap((size) => Array(size.rooms).fill(size.people))).toEqual(sizes);
  expect(new Set(dealt.map((size) => size.people)).size).toBe(dealt.length);
});

test("a deal leaves out hosts unless they are included, and counts a person once", () => {
  const people = [
    { identity: "user_kit.1", name: "Kit", role: "host" },
    { identity: "guest_a.1", name: "Ada", role: "participant" },
    { identity: "guest_a.2", name: "Ada", role: "participant" },
  ] as const;
  expect(dealable(people, false)).toBe(1);
  expect(dealable(people, true)).toBe(2);
});
