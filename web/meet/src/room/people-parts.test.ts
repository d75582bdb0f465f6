import type { Person } from "@conclave/client";
import { Value } from "@conclave/client/pre-join";
import { createElement } from "react";
import { expect, test } from "vitest";
import { fakeMeeting } from "../../dev/fake-meeting";
import { fakePerson } from "../../dev/fake-person";
import { live } from "../../dev/live-page";
import { useScreen } from "../features/live/use-screen";
import { usePeopleParts } from "./people-parts";

/** Every row has a menu, which takes a while to draw. */
const crowd = 20;

const script = {
  count: 0,
  screen: false,
  trouble: false,
  breakouts: "host",
  strict: false,
  locked: false,
  sharing: false,
  recording: false,
};

/** The panel of a host in a meeting with many people, and the rows that were drawn since asked. */
async function panelOfMany() {
  const drawn: string[] = [];
  const person = (number: number, speaking: boolean): Person => {
    const identity = `guest_${number}.x`;
    const known = fakePerson(identity, { speaking });
    return Object.defineProperty(known, "name", {
      get: () => {
        drawn.push(identity);
        return identity;
      },
    });
  };
  const people = new Value<readonly Person[]>(
    Array.from({ length: crowd }, (_, number) => person(number, number === 7)),
  );
  const meeting = { ...fakeMeeting(script), people };
  const Panel = () => usePeopleParts(meeting, useScreen(meeting), 0).panel;
  const change = await live(createElement(Panel));
  const rows = () => new Set(drawn.splice(0));
  const says = (number: number, speaking: boolean) =>
    change(() =>
      people.update((all) =>
        all.map((one, index) => (index === number ? person(number, speaking) : one)),
      ),
    );
  return { rows, says };
}

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test("who speaks among many people draws the rows of those who changed", patient, async () => {
  const { rows, says } = await panelOfMany();
  expect(rows().size).toBe(crowd);
  await says(7, false);
  expect([...rows()]).toEqual(["guest_7.x"]);
  await says(8, true);
  expect([...rows()]).toEqual(["guest_8.x"]);
});
