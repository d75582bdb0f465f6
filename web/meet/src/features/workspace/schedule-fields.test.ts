import { createElement } from "react";
import { expect, test } from "vitest";
import { choicesOf, statusesOf, textOf } from "../../../dev/drawn-page";
import { emptyDraft } from "./meeting-draft";
import { ScheduleFields } from "./schedule-fields";
import type { OwnRoom } from "./workspace-service";

test("a meeting may repeat in every way of the service, and use a room that exists", () => {
  const draft = emptyDraft("Europe/Berlin", Date.parse("2026-11-23T09:10Z"));
  const rooms = [{ id: "r1", name: "Planning", settings: {} } as OwnRoom];
  const own = { draft, initial: draft, rooms, problems: {}, onChange: () => {} };
  const choices = choicesOf(createElement(ScheduleFields, own));
  expect(Object.keys(choices)).toEqual(["Time zone", "Repeats", "Room"]);
  expect(choices["Repeats"]).toEqual({
    none: "Does not repeat",
    daily: "Daily",
    weekdays: "Every weekday",
    weekly: "Weekly",
    biweekly: "Every two weeks",
    monthly: "Monthly",
  });
  expect(choices["Room"]).toEqual({
    new: "A new room for this meeting",
    "new-strict": "A new strict room for this meeting",
    "": "No room",
    r1: "Planning",
  });
});

test("assistive technology is told when a meeting begins to end on the next day", () => {
  const draft = emptyDraft("Europe/Berlin", Date.parse("2026-11-23T09:10Z"));
  const statuses = (starts: string, ends: string) => {
    const own = { draft: { ...draft, starts, ends }, initial: draft, rooms: [], problems: {} };
    return statusesOf(createElement(ScheduleFields, { ...own, onChange: () => {} }));
  };
  // It is there before it has something to say, or it would not be read out.
  expect(statuses("22:00", "23:00")).toEqual([""]);
  expect(statuses("22:00", "01:00")).toEqual([textOf("home.endsNextDay")]);
});
