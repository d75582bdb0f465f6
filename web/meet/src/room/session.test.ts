import type { LocalSource, Seat, Value, WaitingState } from "@conclave/client/pre-join";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  lookUp,
  ok,
  open,
  openLink,
  openWith,
  refused,
  room,
  scene,
  seat,
  storage,
  until,
} from "../../dev/played-session";

beforeEach(() => {
  const stores = { localStorage: storage(), sessionStorage: storage() };
  vi.stubGlobal("window", Object.assign(new EventTarget(), stores));
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("the preparation of a meeting starts while the person is on the pre-join page", async () => {
  const { session, prepared } = open(ok(lookUp));
  await until(session.scene, scene("pre-join"));
  await vi.waitFor(() => expect(prepared).toEqual(["standard"]));
});

test("a browser that cannot encrypt meetings is refused at once", async () => {
  const { session, prepared } = openWith({ canMeet: false }, ok(lookUp));
  expect(await until(session.scene, scene("refused"))).toMatchObject({ reason: "browser" });
  expect(prepared).toEqual([]);
});

test("a person who is refused by the gate is back at the pre-join page", async () => {
  const line = { ...seat, decision: "knock" };
  const shut = { ...lookUp, decision: "knock", reason: "admission_knock" };
  const { session, asked, end, come } = open(ok(lookUp), ok(seat), ok(shut), ok(line));
  await come();
  end("refused");
  await until(session.scene, scene("waiting"));
  // With the ticket, so that the person is not there twice.
  expect(asked).toEqual(["look-up", "join", "look-up Bearer t", "join Bearer t"]);
});

test("a person stopped by a lock at the last moment reads that the room is locked", async () => {
  const shut = { ...lookUp, decision: "refused", reason: "room_locked" };
  const { session, end, come } = open(ok(lookUp), ok(seat), ok(shut));
  await come();
  end("refused");
  expect(await until(session.scene, scene("refused"))).toMatchObject({ reason: "room_locked" });
});

test("a gate that refuses twice after an admission is not tried a third time", async () => {
  const { session, asked, end, come } = open(ok(lookUp), ok(seat), ok(lookUp), ok(seat));
  await come();
  end("refused");
  await until(session.scene, scene("in"));
  end("refused");
  expect(await until(session.scene, scene("out"))).toMatchObject({ reason: "refused" });
  expect(asked).toHaveLength(4);
});

test("the room's own hosts unlock it when they join, but not when they rejoin", async () => {
  const locked = { ...lookUp, decision: "refused", reason: "room_locked", may_unlock: true };
  const { session, asked, end, come } = open(ok(locked), ok(lookUp), ok(seat), ok(locked));
  const before = await until(session.scene, scene("pre-join"));
  expect(before.refusal).toMatchObject({ reason: "room_locked" });
  await come();
  expect(asked).toEqual(["look-up", "unlock", "join"]);
  end("left");
  await session.rejoin("Ada");
  expect(await until(session.scene, scene("pre-join"))).toMatchObject({ joining: false });
  expect(asked.at(-1)).toBe("look-up Bearer t");
});

test("leaving is asked about in the call, and neither before nor after it", async () => {
  const { session, end, come, page } = open(ok(lookUp), ok(seat));
  expect(page.asksWhenClosed()).toBe(false);
  await come();
  expect(page.asksWhenClosed()).toBe(true);
  page.goBack();
  expect(session.guard.isAsking.get()).toBe(true);
  end("left");
  await until(session.scene, scene("out"));
  expect([page.asksWhenClosed(), page.entries()]).toEqual([false, 1]);
});

test("a name that was changed in the meeting is the one to come back with", async () => {
  const { session, sent, end, come, rename } = open(ok(lookUp), ok(seat), ok(lookUp), ok(seat));
  await come();
  rename("Ada");
  rename("Countess");
  expect(session.remembered).toEqual({ name: "Countess", avatar: null });
  end("left");
  const { name } = await until(session.scene, scene("out"));
  expect(name).toBe("Countess");
  await session.rejoin(name);
  await until(session.scene, scene("in"));
  expect(sent.at(-1)).toContain("Countess");
});

test("the name of an account is not remembered on the device, whatever the service calls it", async () => {
  const { session, come, rename } = open(ok({ ...lookUp, signed_in: true }), ok(seat));
  await come();
  rename("Countess");
  expect(session.remembered.name).toBe("");
});

test("the next meeting is fetched as a file with the seat's ticket, or not at all", async () => {
  const file = { name: "meeting.ics", text: "BEGIN:VCALENDAR\r\n" };
  const { session, asked, come } = open(
    ok(lookUp),
    ok(file),
    refused(404, "not_found"),
    ok(seat),
    ok(file),
  );
  await until(session.scene, scene("pre-join"));
  expect(await session.calendarFile()).toEqual(file);
  expect(await session.calendarFile()).toBeNull();
  expect(session.scene.get()).toMatchObject({ kind: "pre-join", refusal: null });
  await come();
  expect(await session.calendarFile()).toEqual(file);
  expect(asked.filter((one) => one !== "look-up" && one !== "join")).toEqual([
    "calendar-file",
    "calendar-file",
    "calendar-file Bearer t",
  ]);
});

test("looking again updates only who is inside, and a failed look changes nothing", async () => {
  const inside = { count: 1, names: ["Bob"] };
  const shut = { ...lookUp, decision: "refused", reason: "room_locked", inside: null };
  const { session, asked, come } = open(
    ok({ ...lookUp, inside }),
    ok({ ...lookUp, decision: "knock", inside: { count: 2, names: [] } }),
    refused(503, "service_unavailable"), // and so are the two further attempts
    refused(503, "service_unavailable"),
    refused(503, "service_unavailable"),
    ok(shut),
    ok(seat),
    ok(lookUp),
  );
  const { lookUp: first } = await until(session.scene, scene("pre-join"));
  expect(first.inside).toEqual(inside);
  const seen = async () => {
    await session.lookInside();
    return (await until(session.scene, scene("pre-join"))).lookUp;
  };
  expect(await seen()).toEqual({ ...lookUp, inside: { count: 2, names: [] } });
  expect(await seen()).toEqual({ ...lookUp, inside: { count: 2, names: [] } });
  expect(await seen()).toEqual({ ...lookUp, inside: null });
  await come();
  await session.lookInside();
  expect(session.scene.get().kind).toBe("in");
  expect(asked.at(-1)).toBe("look-up Bearer t");
});

test("a host stopped by a lock at the last moment can unlock the room", async () => {
  const locked = { ...lookUp, decision: "refused", reason: "room_locked", may_unlock: true };
  const { session } = open(ok(lookUp), refused(409, "room_locked"), ok(locked));
  await until(session.scene, scene("pre-join"));
  await session.join({ name: "Ada", avatar: null });
  expect(session.scene.get()).toMatchObject({ kind: "pre-join", lookUp: { may_unlock: true } });
});

test("a stranger learns about the room when they are admitted", async () => {
  const strange = { ...lookUp, room: null, decision: "knock", reason: "access_members" };
  const { session, asked, come } = open(ok(strange), ok(seat), ok(lookUp));
  await come();
  expect(asked).toEqual(["look-up", "join", "look-up Bearer t"]);
  expect(session.scene.get().kind).toBe("in");
});

test("the secret part of the link goes to the meeting, and into no request or storage", async () => {
  const secret = "AAECAwQFBgcICQoLDA0ODw";
  const stores = [storage(), storage()];
  vi.stubGlobal("window", { localStorage: stores[0], sessionStorage: stores[1] });
  const { session, sent, options, come } = openLink(secret, ok(lookUp), ok(seat));
  await come();
  expect(options[0]?.linkSecret).toEqual(Uint8Array.from({ length: 16 }, (_, index) => index));
  expect(session.linkSecret).toBe(secret);
  const kept = stores.flatMap((store) => store.all());
  expect([sent.length > 1, kept.length > 1]).toEqual([true, true]);
  for (const text of [...sent, ...kept]) expect(text).not.toContain(secret);
});

test("a link without a secret part gives the meeting none", async () => {
  const { options, come } = open(ok(lookUp), ok(seat));
  await come();
  expect(options[0]?.linkSecret).toBeNull();
});

/** Lets the browser of this test have a microphone and a camera. */
function plugIn() {
  const track = () => ({ readyState: "live", enabled: true, stop: () => {} });
  const getUserMedia = async () => ({ getTracks: () => [track()] });
  const enumerateDevices = async () => [];
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia, enumerateDevices } });
}

/** Opens the page, and returns what is on when the person may join. */
async function sourcesAtPreJoin(...answers: (() => Response)[]) {
  const page = open(...answers);
  const { media } = await until(page.session.scene, scene("pre-join"));
  await Promise.all([media.microphone, media.camera].map((source) => until(source, isSettled)));
  const on = () => ({ microphone: media.microphone.get().on, camera: media.camera.get().on });
  return { ...page, media, on };
}

const isSettled = (now: LocalSource): now is LocalSource => !now.on || now.track !== null;

test("after a reload microphone and camera are as they were, whatever the room asks of newcomers", async () => {
  plugIn();
  const quiet = { mute_on_entry: true, camera_off_on_entry: true };
  const quietRoom = { ...lookUp, room: { ...room, settings: quiet } };
  const first = await sourcesAtPreJoin(ok(quietRoom), ok(seat));
  expect(first.on()).toEqual({ microphone: false, camera: false });
  await first.media.setMicrophone(true);
  await first.come();
  expect(first.on()).toEqual({ microphone: false, camera: false });
  await first.media.setMicrophone(true);

  const second = await sourcesAtPreJoin(ok(quietRoom), ok(seat));
  expect(second.on()).toEqual({ microphone: true, camera: false });
  await second.come();
  expect(second.on()).toEqual({ microphone: true, camera: false });
  await second.media.setMicrophone(false);

  const third = await sourcesAtPreJoin(ok(quietRoom), ok(seat));
  expect(third.on()).toEqual({ microphone: false, camera: false });
});

test("a muted person who holds the key to talk at the end is muted when they rejoin", async () => {
  plugIn();
  const { session, media, come, end } = await sourcesAtPreJoin(ok(lookUp), ok(seat), ok(lookUp));
  await come();
  await media.setMicrophone(false);
  await media.talk(true);
  expect(media.microphone.get().on).toBe(true);
  end("ended");
  await session.lookUp();
  const again = (await until(session.scene, scene("pre-join"))).media;
  expect([again.microphone.get().on, again.camera.get().on]).toEqual([false, true]);
});

test("a page that breaks before the meeting lets go of microphone and camera, and enters nothing", async () => {
  plugIn();
  const { session, options, on } = await sourcesAtPreJoin(ok(lookUp), ok(seat));
  expect(on()).toEqual({ microphone: true, camera: true });
  const joining = session.join({ name: "Ada", avatar: null });
  session.end();
  expect(on()).toEqual({ microphone: false, camera: false });
  await joining;
  expect(options).toEqual([]);
});

test("a page that breaks while the person waits gives up the place, and opens nothing again", async () => {
  plugIn();
  const line = { ...seat, decision: "knock" };
  const { session, asked, on } = await sourcesAtPreJoin(ok(lookUp), ok(line), ok({}), ok(lookUp));
  await session.join({ name: "Ada", avatar: null });
  await until(session.scene, scene("waiting"));
  session.end();
  expect(on()).toEqual({ microphone: false, camera: false });
  await vi.waitFor(() => expect(asked).toHaveLength(4));
  await new Promise((resolve) => setTimeout(resolve));
  expect(asked).toContain("leave Bearer t");
  expect(session.scene.get().kind).not.toBe("pre-join");
});

test("a page that breaks just after the person was admitted does not enter", async () => {
  plugIn();
  const line = { ...seat, decision: "knock" };
  const { session, options, on } = await sourcesAtPreJoin(ok(lookUp), ok(line));
  await session.join({ name: "Ada", avatar: null });
  const { waitingRoom } = await until(session.scene, scene("waiting"));
  const { state } = waitingRoom;
  (state as Value<WaitingState>).set({ kind: "admitted", seat: seat as unknown as Seat });
  session.end();
  expect(on()).toEqual({ microphone: false, camera: false });
  await new Promise((resolve) => setTimeout(resolve));
  expect(options).toEqual([]);
});

/** A person who knocks. A host denies them each time. */
async function knocker(...answers: (() => Response | Promise<Response>)[]) {
  plugIn();
  const { session } = await sourcesAtPreJoin(ok(knock), ...(answers as (() => Response)[]));
  const knocks = async () => {
    await session.join({ name: "Ada", avatar: null });
    const { waitingRoom } = await until(session.scene, scene("waiting"));
    const { state } = waitingRoom;
    (state as Value<WaitingState>).set({ kind: "over", reason: "denied" });
  };
  return { session, knocks };
}

const line = { ...seat, decision: "knock" };
const knock = { ...lookUp, decision: "knock", reason: "admission_knock" };
const shut = { ...lookUp, decision: "refused", reason: "not_let_in" };

/** An answer of the service that takes a while. */
function held() {
  let send = (_answer: Response) => {};
  const answer = new Promise<Response>((resolve) => (send = resolve));
  return { answer: () => answer, send };
}

test("a person may ask once more after a denial, and reads so only then", async () => {
  const { session, knocks } = await knocker(ok(line), ok(knock), ok(line), ok(shut));
  for (const reason of ["denied", "not_let_in"]) {
    await knocks();
    const said = { kind: "pre-join", refusal: { reason } };
    await vi.waitFor(() => expect(session.scene.get()).toMatchObject(said));
  }
});

test("a denied person reads so at once, and once the service says so that it was the last time", async () => {
  const { answer, send } = held();
  const { session, knocks } = await knocker(ok(line), answer);
  await knocks();
  expect(session.scene.get()).toMatchObject({ kind: "pre-join", refusal: { reason: "denied" } });
  send(ok(shut)());
  const said = { kind: "pre-join", refusal: { reason: "not_let_in" } };
  await vi.waitFor(() => expect(session.scene.get()).toMatchObject(said));
});

test("a denied person who asks again before the service answers goes on waiting", async () => {
  const { answer, send } = held();
  const { session, knocks } = await knocker(ok(line), answer, ok(line));
  await knocks();
  await session.join({ name: "Ada", avatar: null });
  send(ok(shut)());
  await new Promise((resolve) => setTimeout(resolve));
  expect(session.scene.get().kind).toBe("waiting");
});

test("another seat begins with microphone and camera on, like the first visit", async () => {
  plugIn();
  const first = await sourcesAtPreJoin(ok(lookUp), ok(seat));
  expect(first.on()).toEqual({ microphone: true, camera: true });
  await first.come();
  await first.media.setMicrophone(false);
  // The service no longer knows the seat.
  const gone = refused(401, "ticket_invalid");
  const second = await sourcesAtPreJoin(gone, ok(lookUp));
  expect(second.on()).toEqual({ microphone: true, camera: true });
});

test("a damaged secret part is said at once, before anything is asked", async () => {
  for (const damaged of ["", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODw=="]) {
    const { session, asked } = openLink(damaged, ok(lookUp));
    expect(session.scene.get(), damaged).toEqual({
      kind: "refused",
      reason: "link_damaged",
      message: null,
    });
    expect(asked).toEqual([]);
  }
});
