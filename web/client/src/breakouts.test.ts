import { expect, test } from "vitest";
import { Breakouts } from "./breakouts.js";
import { forgetful, type KeyValueStore } from "./preferences.js";
import { Service } from "./service.js";
import { HandClock } from "./testing/hand-clock.js";
import type { Announcement, BreakoutSession } from "./wire.js";

function session(more: Partial<BreakoutSession> = {}, place: string | null = null) {
  return {
    id: "s",
    status: "open",
    auto_join: true,
    allow_return: true,
    self_select: false,
    started_at: "2026-01-01T12:00:00.000Z",
    ends_at: null,
    you: { place, assigned: place, can_return: true, may_choose: false },
    rooms: [
      { id: "r1", name: "Room 1", members: [] },
      { id: "r2", name: "Room 2", members: [] },
    ],
    unassigned: [],
    ...more,
  } satisfies BreakoutSession;
}

function announcement(id: string): Announcement {
  return { id, message: `Say ${id}`, from: "Hedy", at: "2026-01-01T12:00:00.000Z" };
}

function setup(store: KeyValueStore = forgetful) {
  const asked: string[] = [];
  const places: (string | null)[] = [];
  const fakeFetch: typeof fetch = async (input, init) => {
    const path = String(input).replace("https://meet.example.com/meet/v1/", "");
    asked.push(`${init?.method} ${path} ${init?.body}`);
    return new Response("{}");
  };
  const clock = new HandClock();
  const breakouts = new Breakouts({
    service: new Service({ baseUrl: "https://meet.example.com", fetch: fakeFetch, clock }),
    ticket: "t",
    clock,
    store,
    onPlace: (place) => places.push(place),
  });
  return { breakouts, asked, places, clock };
}

const main = { breakoutId: null, name: null };
const room1 = { breakoutId: "r1", name: "Room 1" };
const room2 = { breakoutId: "r2", name: "Room 2" };

test("the device learns where to go, and shows where it is while it moves", () => {
  const { breakouts, places } = setup();
  breakouts.arrived(null);
  expect(breakouts.whereabouts.get()).toEqual({ ...main, movingTo: null });
  breakouts.takeSession(session({}, "r1"));
  expect(places).toEqual(["r1"]);
  expect(breakouts.whereabouts.get()).toEqual({ ...main, movingTo: room1 });
  breakouts.takeSession(session({}, "r2"));
  expect(breakouts.whereabouts.get()).toEqual({ ...main, movingTo: room2 });
  breakouts.arrived("r2");
  expect(breakouts.whereabouts.get()).toEqual({ ...room2, movingTo: null });
});

test("a room keeps its name until the device has left it, even after the session", () => {
  const { breakouts, places } = setup();
  breakouts.takeSession(session({}, "r1"));
  breakouts.arrived("r1");
  breakouts.takeSession(null);
  expect(places).toEqual(["r1", null]);
  expect(breakouts.whereabouts.get()).toEqual({ ...room1, movingTo: main });
  breakouts.arrived(null);
  expect(breakouts.whereabouts.get()).toEqual({ ...main, movingTo: null });
});

test("after a reload the device may be in a room whose name it does not know yet", () => {
  const { breakouts } = setup();
  breakouts.arrived("r1");
  expect(breakouts.whereabouts.get()).toEqual({ breakoutId: "r1", name: null, movingTo: null });
  breakouts.takeSession(session({}, "r1"));
  expect(breakouts.whereabouts.get()).toEqual({ ...room1, movingTo: null });
  const before = breakouts.whereabouts.get();
  breakouts.takeSession(session({ allow_return: false }, "r1"));
  expect(breakouts.whereabouts.get()).toBe(before);
});

test("an announcement is shown once, however often the service repeats it", () => {
  const { breakouts } = setup();
  const first = announcement("a1");
  breakouts.takeAnnouncement(first);
  expect(breakouts.announcement.get()).toEqual(first);
  breakouts.dismiss(first);
  breakouts.takeAnnouncement({ ...first });
  expect(breakouts.announcement.get()).toBeNull();
  const second = announcement("a2");
  breakouts.takeAnnouncement(second);
  breakouts.dismiss(first);
  breakouts.takeAnnouncement(null);
  expect(breakouts.announcement.get()).toEqual(second);
});

test("an announcement disappears with its session", () => {
  const { breakouts } = setup();
  breakouts.takeSession(session());
  breakouts.takeAnnouncement(announcement("a1"));
  breakouts.takeSession(session({ ends_at: "2026-01-01T12:01:00.000Z" }));
  expect(breakouts.announcement.get()?.id).toBe("a1");
  breakouts.takeSession(null);
  expect(breakouts.announcement.get()).toBeNull();
});

test("an announcement disappears after a minute, and a later one has a minute of its own", () => {
  const { breakouts, clock } = setup();
  breakouts.takeSession(session());
  breakouts.takeAnnouncement(announcement("a1"));
  clock.pass(59_000);
  expect(breakouts.announcement.get()?.id).toBe("a1");
  breakouts.takeAnnouncement(announcement("a2"));
  clock.pass(59_000);
  expect(breakouts.announcement.get()?.id).toBe("a2");
  clock.pass(1000);
  expect(breakouts.announcement.get()).toBeNull();
});

test("after a reload an announcement is shown again unless it was dismissed", () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const [first, second] = [announcement("a1"), announcement("a2")];
  const { breakouts } = setup(store);
  breakouts.takeAnnouncement(first);
  breakouts.dismiss(first);
  const { breakouts: reloaded } = setup(store);
  reloaded.takeAnnouncement(first);
  expect(reloaded.announcement.get()).toBeNull();
  reloaded.takeAnnouncement(second);
  const { breakouts: again } = setup(store);
  again.takeAnnouncement(second);
  expect(again.announcement.get()).toEqual(second);
});

test("each action sends its request to the service", async () => {
  const { breakouts, asked } = setup();
  await breakouts.join("r1");
  await breakouts.returnToMain();
  await breakouts.open({ rooms: 2, assign: "auto" });
  await breakouts.assign("guest_b", "r2");
  await breakouts.assign("guest_b", null, false);
  await breakouts.addRoom();
  await breakouts.addRoom("Garden");
  await breakouts.renameRoom("r1", "Attic");
  await breakouts.closeRoom("r1");
  await breakouts.announce("Five minutes");
  await breakouts.end({ warn: true });
  expect(asked).toEqual([
    'POST breakouts/join {"breakout_id":"r1"}',
    "POST breakouts/return {}",
    'POST breakouts {"rooms":2,"assign":"auto"}',
    'POST breakouts/assignments {"participant":"guest_b","breakout_id":"r2"}',
    'POST breakouts/assignments {"participant":"guest_b","breakout_id":null,"can_return":false}',
    "POST breakouts/rooms {}",
    'POST breakouts/rooms {"name":"Garden"}',
    'PATCH breakouts/rooms/r1 {"name":"Attic"}',
    "DELETE breakouts/rooms/r1 {}",
    'POST breakouts/announce {"message":"Five minutes"}',
    'POST breakouts/end {"warn":true}',
  ]);
});
