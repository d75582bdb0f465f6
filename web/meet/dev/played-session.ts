import type { EndReason, Meeting, Phase, You } from "@conclave/client";
import { type Observable, Value, WaitingRoom } from "@conclave/client/pre-join";
import { vi } from "vitest";
import type { EnterOptions } from "../src/room/enter";
import { LeaveGuard } from "../src/room/leave-guard";
import type { Scene } from "../src/room/scene";
import { Session } from "../src/room/session";
import { fakePage } from "./fake-page";

export const room = {
  name: "Planning",
  code: "abc-defg-hjk",
  type: "meeting",
  encryption: "standard",
  settings: {},
};
export const lookUp = { room, person: null, signed_in: false, decision: "enter", reason: null };
export const seat = { identity: "guest_a.x", ticket: "t", decision: "enter", redirect_url: null };

export const ok = (body: object) => () => Response.json(body);
export const refused = (status: number, code: string) => () =>
  Response.json({ error: { code, message: "" } }, { status });

export function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    all: () => [...kept.values()],
  };
}

/** Resolves once an observable has the wanted value. */
export function until<T, W extends T>(value: Observable<T>, is: (now: T) => now is W): Promise<W> {
  return new Promise((resolve) => {
    const look = () => {
      const now = value.get();
      if (!is(now)) return;
      stop();
      resolve(now);
    };
    const stop = value.subscribe(look);
    look();
  });
}

export const scene =
  <K extends Scene["kind"]>(kind: K) =>
  (now: Scene): now is Extract<Scene, { kind: K }> =>
    now.kind === kind;

/** A session with a fake service that gives these answers in turn, and with fake meetings. */
export function open(...answers: (() => Response)[]) {
  return openWith({}, ...answers);
}

/** The same, with the secret part of a link. */
export function openLink(linkSecret: string | null, ...answers: (() => Response)[]) {
  return openWith({ linkSecret }, ...answers);
}

interface Visit {
  readonly linkSecret?: string | null;
  readonly canMeet?: boolean;
}

/** The same, with what the visitor brings. */
export function openWith(
  { linkSecret = null, canMeet = true }: Visit,
  ...answers: (() => Response)[]
) {
  const asked: string[] = [];
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    sent.push(`${url} ${JSON.stringify(init)}`);
    const path = new URL(url).pathname.replace("/meet/v1/", "");
    if (path === "events") return new Promise(() => {}); // no events
    const { Authorization } = init.headers as Record<string, string>;
    asked.push(Authorization ? `${path} ${Authorization}` : path);
    return (answers.shift() ?? refused(500, "internal"))();
  });
  const phases: Value<Phase>[] = [];
  const you = new Value<You | null>(null);
  const options: EnterOptions[] = [];
  const prepared: string[] = [];
  const gone: string[] = [];
  const page = fakePage();
  const session = new Session({
    code: room.code,
    joinSecret: null,
    linkSecret,
    baseUrl: "https://meet.example.com",
    firstLook: null,
    loadMeeting: async () => ({
      prepare: (encryption) => prepared.push(encryption),
      wait: (given) => new WaitingRoom(given),
      enter: (given) => {
        options.push(given);
        const phase = new Value<Phase>({ kind: "connecting" });
        phases.push(phase);
        const { localMedia, seat: taken } = given;
        const redirectUrl = taken.redirect_url;
        return { phase, you, localMedia, redirectUrl } as unknown as Meeting;
      },
    }),
    goTo: (url) => gone.push(url),
    guard: new LeaveGuard(page),
    canMeet,
  });
  const end = (reason: EndReason) => phases.at(-1)?.set({ kind: "ended", reason });
  const rename = (name: string) => you.set({ name } as You);
  const come = async () => {
    await until(session.scene, scene("pre-join"));
    await session.join({ name: "Ada", avatar: null });
    await until(session.scene, scene("in"));
  };
  return { session, asked, sent, options, prepared, gone, end, come, page, rename };
}
