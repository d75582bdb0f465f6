import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { playedRecorder } from "../../dev/played-recorder";
import { lookUp, ok, open, scene, seat, storage, until } from "../../dev/played-session";
import type { Session } from "./session";

beforeEach(() => {
  const stores = { localStorage: storage(), sessionStorage: storage() };
  vi.stubGlobal("window", Object.assign(new EventTarget(), stores));
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A recorder of this page that has something to send. */
function watched({ guard }: Session) {
  const recorder = playedRecorder(true);
  guard.unsent.watch(recorder);
  recorder.ended.set("left");
  return recorder;
}

const led = { ...seat, redirect_url: "https://after.example.com" };

test("a person with a redirect_url goes there after the meeting", async () => {
  const { end, come, gone } = open(ok(lookUp), ok(led));
  await come();
  end("left");
  expect(gone).toEqual(["https://after.example.com"]);
});

test("a person goes on to the redirect_url once the rest of their recording is sent", async () => {
  const { session, end, come, gone, page } = open(ok(lookUp), ok(led));
  await come();
  const { isUnsent } = watched(session);
  end("ended");
  await until(session.scene, scene("out"));
  expect([gone, page.asksWhenClosed()]).toEqual([[], true]);
  isUnsent.set(false);
  expect([gone, page.asksWhenClosed()]).toEqual([["https://after.example.com"], false]);
});

test("a person who rejoins while a recording is sent is not taken to the redirect_url", async () => {
  const { session, end, come, gone } = open(ok(lookUp), ok(led), ok(lookUp), ok(led));
  await come();
  const { isUnsent } = watched(session);
  end("left");
  await session.rejoin("Ada");
  await until(session.scene, scene("in"));
  isUnsent.set(false);
  expect(gone).toEqual([]);
});

test.each([true, false])(
  "a person whose recording lost its end goes on when they want to (after the call: %s)",
  async (isLater) => {
    const { session, end, come, gone } = open(ok(lookUp), ok(led));
    await come();
    const { isUnsent, ended } = watched(session);
    const lose = () => {
      ended.set("too_late");
      isUnsent.set(false);
    };
    if (!isLater) lose();
    end("ended");
    if (isLater) lose();
    expect(session.scene.get()).toMatchObject({ kind: "out", next: "https://after.example.com" });
    expect(gone).toEqual([]);
    session.goOn();
    expect(gone).toEqual(["https://after.example.com"]);
  },
);

test("a person who joined in another window goes on in that one", async () => {
  const { session, end, come, gone } = open(ok(lookUp), ok(led));
  await come();
  end("elsewhere");
  expect(session.scene.get()).toMatchObject({ kind: "out", next: null });
  session.goOn();
  expect(gone).toEqual([]);
});
