import { afterEach, expect, test, vi } from "vitest";
import { askToNotify, mayAskToNotify, notifyOfWaiting } from "./waiting-notification";

interface Shown {
  readonly title: string;
  readonly options: NotificationOptions | undefined;
  onclick: (() => void) | null;
  isClosed: boolean;
}

interface Situation {
  readonly permission: NotificationPermission;
  /** What the person answers when they are asked. */
  readonly answer?: NotificationPermission;
  readonly hasFocus?: boolean;
  /** The browser lets only service workers notify. */
  readonly isAndroid?: boolean;
}

/** A browser in this situation, and the notifications that it shows. */
function play({ permission, answer, hasFocus = false, isAndroid = false }: Situation) {
  const shown: Shown[] = [];
  const focus = vi.fn();
  class PlayedNotification implements Shown {
    static permission = permission;
    readonly title: string;
    readonly options: NotificationOptions | undefined;
    onclick: (() => void) | null = null;
    isClosed = false;

    constructor(title: string, options?: NotificationOptions) {
      this.title = title;
      this.options = options;
      if (isAndroid) throw new TypeError("Illegal constructor");
      shown.push(this);
    }

    static async requestPermission(): Promise<NotificationPermission> {
      PlayedNotification.permission = answer ?? permission;
      return PlayedNotification.permission;
    }

    close(): void {
      this.isClosed = true;
    }
  }
  vi.stubGlobal("Notification", PlayedNotification);
  vi.stubGlobal("document", { hasFocus: () => hasFocus });
  vi.stubGlobal("window", { focus });
  return { shown, focus };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a host who looks elsewhere is notified, and a click leads back to the meeting", () => {
  const { shown, focus } = play({ permission: "granted" });
  notifyOfWaiting("Someone is waiting", "Bob");
  expect(shown.map(({ title, options }) => [title, options?.body])).toEqual([
    ["Someone is waiting", "Bob"],
  ]);
  shown[0]?.onclick?.();
  expect(focus).toHaveBeenCalledOnce();
  expect(shown[0]?.isClosed).toBe(true);
});

test.each<[string, Situation]>([
  ["who looks at the meeting", { permission: "granted", hasFocus: true }],
  ["who said no", { permission: "denied" }],
  ["who was not asked", { permission: "default" }],
  ["on Android", { permission: "granted", isAndroid: true }],
])("a host %s is not notified", (_name, situation) => {
  const { shown } = play(situation);
  notifyOfWaiting("Someone is waiting", "Bob");
  expect(shown).toEqual([]);
});

test("a browser without notifications shows none, and the host is not asked", () => {
  vi.stubGlobal("document", { hasFocus: () => false });
  notifyOfWaiting("Someone is waiting", "Bob");
  expect(mayAskToNotify()).toBe(false);
});

test.each(["granted", "denied"] as const)(
  "a host is asked once, and answers: %s",
  async (answer) => {
    play({ permission: "default", answer });
    expect(mayAskToNotify()).toBe(true);
    await askToNotify();
    expect(mayAskToNotify()).toBe(false);
  },
);
