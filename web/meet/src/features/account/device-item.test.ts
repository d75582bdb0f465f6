import { createElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { DeviceItem } from "./device-item";

afterEach(() => vi.unstubAllGlobals());

/** What the list says of a device to a person who reads these languages. */
function drawnFor(...languages: readonly string[]): Promise<string> {
  vi.stubGlobal("navigator", { languages });
  const device = {
    id: "dev_1",
    name: "Firefox on Linux",
    created_at: "2026-11-02T12:00:00",
    last_used_at: "2026-11-29T12:00:00",
  };
  return drawnWhole(createElement(DeviceItem, { device, isOwn: false, onRevoke: () => {} }));
}

test("the days of a device are written for the person's region, and do not break", async () => {
  const british = await drawnFor("en-GB");
  expect(british).toContain("Added 2\u00a0Nov\u00a02026, last used 29\u00a0Nov\u00a02026");
  const american = await drawnFor("en-US");
  expect(american).toContain("Added Nov\u00a02,\u00a02026, last used Nov\u00a029,\u00a02026");
});
