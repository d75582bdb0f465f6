import type { Locator } from "playwright-core";

declare global {
  interface Window {
    notes: number;
    /** The title and the text of each notification. */
    notified: (string | undefined)[][];
  }
}

/** Runs in the page: counts the notes of the chime. */
export function countNotes(): void {
  window.notes = 0;
  const original = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function () {
    window.notes += 1;
    return original.call(this);
  };
}

/** Runs in the page: a browser that has not yet asked, and whose person allows notifications. */
export function playNotifications(): void {
  window.notified = [];
  class PlayedNotification {
    static permission = "default";

    constructor(title: string, options?: NotificationOptions) {
      window.notified.push([title, options?.body]);
    }

    static async requestPermission(): Promise<string> {
      PlayedNotification.permission = "granted";
      return PlayedNotification.permission;
    }
  }
  Object.assign(window, { Notification: PlayedNotification });
}

/** Runs in the page: on demand, sends the event that the service sends after an hour of waiting. */
export function playAnHour(): void {
  const original = window.fetch;
  let isOver = false;
  window.addEventListener("an-hour-later", () => {
    isOver = true;
  });
  window.fetch = async (input, init) => {
    const response = await original(input, init);
    if (!String(input).includes("/meet/v1/events?") || !response.body) return response;
    const end = `event: end\ndata: ${JSON.stringify({ reason: "expired" })}\n\n`;
    const later = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        const say = () => {
          isOver = false;
          controller.enqueue(new TextEncoder().encode(end));
        };
        // The hour may be over before the stream is open.
        if (isOver) say();
        else window.addEventListener("an-hour-later", say, { once: true });
      },
    });
    return new Response(response.body.pipeThrough(later), { headers: response.headers });
  };
}

/**
 * Presses a button, and what is at its place as soon as that is no longer about the person. A
 * button that has just come to its place takes no press, so it is pressed until it does.
 */
export function pressTwice(button: Locator, name: string): Promise<void> {
  return button.evaluate((first, about) => {
    const { x, y, width, height } = first.getBoundingClientRect();
    const there = () => document.elementFromPoint(x + width / 2, y + height / 2);
    const isDone = new Promise<void>((resolve) => {
      const changes = new MutationObserver(() => {
        const next = there()?.closest("button");
        const row = next?.closest("li, [role=status]");
        if (!next || !row || row.textContent.includes(about)) return;
        changes.disconnect();
        clearInterval(pressing);
        next.click();
        resolve();
      });
      changes.observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    const pressing = setInterval(() => (first as HTMLElement).click(), 100);
    return isDone;
  }, name);
}
