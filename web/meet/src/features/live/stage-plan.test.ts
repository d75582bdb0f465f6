import type { Person } from "@conclave/client";
import { expect, test } from "vitest";
import { fakePerson } from "../../../dev/fake-person";
import { planStage, type StageInput, screenId } from "./stage-plan";

const view = { id: "v", attach: () => () => {}, paused: false };
const stage = { width: 1264, height: 660 };

function person(identity: string, more: Partial<Person> = {}): Person {
  return fakePerson(identity, { isMe: identity === "me", ...more });
}

function plan(people: readonly Person[], more: Partial<StageInput> = {}) {
  return planStage({
    people,
    order: people.map(({ identity }) => identity),
    layout: "grid",
    pinned: null,
    focus: null,
    page: 0,
    stage,
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

test("a shared screen is large, unless a tile is pinned", () => {
  const people = [person("me", { screen: view }), person("a", { screen: view }), person("b")];
  expect(largestOf(plan(people))).toBe(screenId("a"));
  expect(largestOf(plan(people, { pinned: "b" }))).toBe("b");
  expect(largestOf(plan(people, { pinned: "gone" }))).toBe(screenId("a"));
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

test("every tile is inside the stage", () => {
  for (const layout of ["grid", "speaker"] as const) {
    for (let count = 1; count <= 25; count += 1) {
      const people = Array.from({ length: count }, (_, i) => person(i === 0 ? "me" : `p${i}`));
      for (const place of plan(people, { layout }).placement.values()) {
        expect(place.left).toBeGreaterThanOrEqual(0);
        expect(place.top).toBeGreaterThanOrEqual(0);
        expect(place.left + place.width).toBeLessThanOrEqual(stage.width + 0.5);
        expect(place.top + place.height).toBeLessThanOrEqual(stage.height + 0.5);
      }
    }
  }
});
