import { Value } from "@conclave/client/pre-join";
import { createElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { ChatPanel } from "./chat-panel";

afterEach(() => vi.unstubAllGlobals());

/** How the panel writes 8:44 in the morning for a person who reads these languages. */
async function timeFor(...languages: readonly string[]): Promise<string | undefined> {
  vi.stubGlobal("navigator", { languages });
  const place = { breakoutId: null, name: null };
  const sentAt = new Date(2026, 0, 2, 8, 44).getTime();
  const message = {
    id: "m1",
    from: "a",
    name: "Ada",
    mine: false,
    text: "Good morning",
    sentAt,
    place,
  };
  const panel = createElement(ChatPanel, {
    messages: [message],
    place,
    isOn: false,
    draft: new Value(""),
    onSend: () => Promise.resolve(),
  });
  const [, time] = /<time[^>]*>([^<]*)</.exec(await drawnWhole(panel)) ?? [];
  return time?.replaceAll(/[\u00a0\u202f]/g, " ");
}

test("the time of a message is written as the person writes times", async () => {
  expect(await timeFor("en-US")).toBe("8:44 AM");
  expect(await timeFor("en-GB")).toBe("08:44");
  expect(await timeFor("de-DE")).toBe("08:44");
});
