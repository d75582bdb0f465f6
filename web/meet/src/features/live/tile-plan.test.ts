import type { Person } from "@conclave/client";
import { expect, test } from "vitest";
import { fakePerson } from "../../../dev/fake-person";
import { planTiles, screenId, type TilePlanInput } from "./tile-plan";

const view = { id: "v", attach: () => () => {}, paused: false };
const area = { width: 1264, height: 660 };

function person(identity: string, more: Partial<Person> = {}): Person {
  return fakePerson(identity, { isMe: identity === "me", ...more });
}

function plan(people: readonly Person[], more: Partial<TilePlanInput> = {}) {
  return planTiles({
    people,
    order: people.map(({ identity }) => identity),
    layout: "grid",
    pinned: null,
    focus: null,
    page: 0,
    area,
    ...more,
  });
}

function largestOf(found: ReturnType<typeof plan>): string | undefined {
  return [...found.placement].sort((a, b) => b[1].width - a[1].width)[0]?.[0];
}

test("with two people, the other one is large, and oneself is small on top", () => {
  const found = plan([person("me"), person("a")]);
  expect(largestOf(found)).toBe("a");
  expect(found.placement.get("me")).toMatchObject({ isAbove: true });
});

test("what oneself covers of the other is known, so that no name is written there", () => {
  const { placement } = plan([person("me"), person("a")]);
  const [own, other] = [placement.get("me"), placement.get("a")];
  if (!own || !other) throw new Error("somebody has no tile");
  expect(own.left).toBe(other.left + other.width - (other.covered ?? 0));
  expect(own.covered).toBeUndefined();
});

test("oneself covers less than a third of the other, also on a phone that lies on its side", () => {
  for (const size of [area, { width: 828, height: 264 }, { width: 382, height: 700 }]) {
    const { placement } = plan([person("me"), person("a")], { area: size });
    const [own = 0, other = 0] = ["me", "a"].map((id) => placement.get(id)?.width);
    expect(own / other, `on ${size.width} x ${size.height}`).toBeLessThan(1 / 3);
  }
});

test("a shared screen is large, unless a tile is pinned", () => {
  const people = [person("me", { screen: view }), person("a", { screen: view }), person("b")];
  expect(largestOf(plan(people))).toBe(screenId("a"));
  expect(largestOf(plan(people, { pinned: "b" }))).toBe("b");
  expect(largestOf(plan(people, { pinned: "gone" }))).toBe(screenId("a"));
});

const lit = (second: number) => ({ spotlitAt: `2026-01-01T00:00:0${second}.000Z` });

/** The ids of the tiles that are as large as the largest. */
function largeOf(found: ReturnType<typeof plan>): readonly string[] {
  const places = [...found.placement];
  const most = Math.max(...places.map(([, { width }]) => width));
  return places.filter(([, { width }]) => width === most).map(([id]) => id);
}

test("the spotlight is large for everybody, in a call of two and over a shared screen", () => {
  expect(largeOf(plan([person("me"), person("a", lit(1))]))).toEqual(["a"]);
  expect(largeOf(plan([person("me", lit(1)), person("a")]))).toEqual(["me"]);
  const people = [person("me"), person("a", lit(2)), person("b", lit(1)), person("c")];
  expect(largeOf(plan(people))).toEqual(["b", "a"]);
  expect(largeOf(plan([...people, person("d", { screen: view })]))).toEqual(["b", "a"]);
  expect(largeOf(plan(people, { layout: "speaker", focus: "c" }))).toEqual(["b", "a"]);
});

test("one's own pin wins over the spotlight", () => {
  const people = [person("me"), person("a", lit(1)), person("b")];
  expect(largeOf(plan(people, { pinned: "b" }))).toEqual(["b"]);
  expect(largeOf(plan(people, { pinned: "gone" }))).toEqual(["a"]);
});

test("the screen of a person in the spotlight is shown in their place, except to themselves", () => {
  const sharing = { screen: view, ...lit(1) };
  expect(largeOf(plan([person("me"), person("a", sharing), person("b")]))).toEqual([screenId("a")]);
  expect(largeOf(plan([person("me", sharing), person("a"), person("b")]))).toEqual(["me"]);
});

test("a person who shares their screen goes on seeing the others as before", () => {
  const people = [person("me", { screen: view }), person("a"), person("b")];
  const found = plan(people);
  const widths = [...found.placement.values()].map(({ width }) => width);
  expect(new Set(widths).size).toBe(1);
  expect(largestOf(plan(people, { layout: "speaker", focus: "b" }))).toBe("b");
  expect(largestOf(plan(people, { pinned: screenId("me") }))).toBe(screenId("me"));
});

test("the speaker layout shows the speaker, and the first other person until someone speaks", () => {
  const people = [person("me"), person("a"), person("b")];
  expect(largestOf(plan(people, { layout: "speaker", focus: "b" }))).toBe("b");
  expect(largestOf(plan(people, { layout: "speaker" }))).toBe("a");
});

test("people who do not fit are on the next page, or counted beside the strip", () => {
  const people = ["me", ...Array.from({ length: 29 }, (_, i) => `p${i}`)].map((id) => person(id));
  const first = plan(people);
  expect([first.items.length, first.pages]).toEqual([25, 2]);
  const last = plan(people, { page: 7 });
  expect([last.items.length, last.page]).toEqual([5, 1]);
  const strip = plan(people, { pinned: "p3" });
  expect(strip.hidden?.count).toBeGreaterThan(0);
  expect(strip.items.length + (strip.hidden?.count ?? 0)).toBe(30);
  expect(plan(people.slice(0, 4), { pinned: "p1" }).hidden).toBeNull();
});

test("every tile is inside the area", () => {
  for (const [layout, spotlights] of [
    ["grid", 0],
    ["speaker", 0],
    ["grid", 2],
    ["grid", 3],
  ] as const) {
    for (let count = 1; count <= 25; count += 1) {
      const people = Array.from({ length: count }, (_, i) =>
        person(i === 0 ? "me" : `p${i}`, i < spotlights ? lit(i) : {}),
      );
      for (const place of plan(people, { layout }).placement.values()) {
        expect(place.left).toBeGreaterThanOrEqual(0);
        expect(place.top).toBeGreaterThanOrEqual(0);
        expect(place.left + place.width).toBeLessThanOrEqual(area.width + 0.5);
        expect(place.top + place.height).toBeLessThanOrEqual(area.height + 0.5);
      }
    }
  }
});
