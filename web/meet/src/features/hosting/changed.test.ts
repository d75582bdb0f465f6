import type { RoomInfo } from "@conclave/client/pre-join";
import { expect, test } from "vitest";
import { changed } from "./changed";

const room: RoomInfo = {
  id: "r",
  name: "Planning",
  code: "abc-defg-hjk",
  url: "https://meet.example.com/abc-defg-hjk",
  type: "meeting",
  encryption: "standard",
  recordings: "workspace",
  locked: true,
  settings: {
    access: "link",
    admission: "direct",
    mute_on_entry: false,
    camera_off_on_entry: false,
    screen_share: "everyone",
    reactions: true,
    chat: true,
  },
};

test("a change sets only the fields it has", () => {
  expect(changed(room, { settings: { chat: false } })).toEqual({
    ...room,
    settings: { ...room.settings, chat: false },
  });
  expect(changed(room, { locked: false })).toEqual({ ...room, locked: false });
});
