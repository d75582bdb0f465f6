import type { GroupMember } from "@conclave/client";
import { expect, test } from "vitest";
import { deviceLines, spelled } from "./device-lines";

const device = (name: string): GroupMember => ({
  identity: `guest_${name}.x`,
  name,
  role: "participant",
  fingerprint: [name, "1"],
});

test("one's own device comes first, and new ones before the others", () => {
  const members = ["grace", "ada", "alan", "mary"].map(device);
  const lines = deviceLines(members, "guest_ada.x", {
    extent: "some",
    added: [device("alan"), device("gone")],
    verified: new Set(["mary 1"]),
  });
  expect(
    lines.map(({ member, isMe, isNew, isVerified }) => [member.name, isMe, isNew, isVerified]),
  ).toEqual([
    ["ada", true, false, false],
    ["alan", false, true, false],
    ["grace", false, false, false],
    ["mary", false, false, true],
  ]);
});

test("digits are read one by one", () => {
  expect(spelled("07410")).toBe("0 7 4 1 0");
});
