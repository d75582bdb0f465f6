import { createElement } from "react";
import { expect, test } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { fakePerson } from "../../../dev/fake-person";
import { Tile } from "./tile";

const place = { left: 0, top: 0, width: 320, height: 180, isAbove: false };

function drawn(person: Parameters<typeof fakePerson>[1]): Promise<string> {
  return drawnWhole(
    createElement(Tile, {
      ...place,
      id: "a",
      person: fakePerson("a", person),
      kind: "camera",
      isPinned: false,
      onPin: () => {},
      onStopSharing: () => {},
      reaction: null,
    }),
  );
}

test("a person who still connects is not called muted", async () => {
  const connecting = await drawn({ connected: false, microphone: false });
  expect(connecting).toContain("Connecting");
  expect(connecting).not.toContain('aria-label="Muted"');
  const silent = await drawn({ connected: true, microphone: false });
  expect(silent).toContain('aria-label="Muted"');
  expect(await drawn({ connected: true, microphone: true })).not.toContain('aria-label="Muted"');
});
