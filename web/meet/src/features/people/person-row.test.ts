import { createElement } from "react";
import { expect, test } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { fakePerson } from "../../../dev/fake-person";
import { PersonRow } from "./person-row";

function drawn(person: Parameters<typeof fakePerson>[1]): Promise<string> {
  return drawnWhole(
    createElement(PersonRow, {
      person: fakePerson("a", person),
      hasMicrophone: true,
      elsewhere: null,
      menu: () => null,
    }),
  );
}

test("nothing is said of the microphone of a person who still connects", async () => {
  expect(await drawn({ connected: false, microphone: false })).not.toContain("Microphone");
  expect(await drawn({ connected: true, microphone: false })).toContain("Microphone is off");
  expect(await drawn({ connected: true, microphone: true })).toContain("Microphone is on");
});
