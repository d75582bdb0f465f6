import type { BreakoutRooms } from "@conclave/client";

/** Breakout rooms in a custom interface: the library moves the device, this shows where it is. */
export function showBreakouts(breakouts: BreakoutRooms): void {
  const sign = element("place");
  const clock = element("countdown");
  const news = element("news");
  const choices = element("choices");

  follow(breakouts.whereabouts, ({ breakoutId, name, movingTo }) => {
    if (movingTo) sign.textContent = `Moving to ${movingTo.name ?? "the main room"}`;
    else sign.textContent = breakoutId === null ? "Main room" : (name ?? "Breakout room");
  });

  follow(breakouts.countdown, (seconds) => {
    clock.textContent = seconds === null ? "" : `Rooms close in ${seconds} s`;
  });

  follow(breakouts.announcement, (announcement) => {
    news.replaceChildren();
    if (!announcement) return;
    news.append(
      announcement.from ? `${announcement.from}: ${announcement.message}` : announcement.message,
      button("Dismiss", () => breakouts.dismiss(announcement)),
    );
  });

  follow(breakouts.session, (session) => {
    choices.replaceChildren();
    if (!session) return;
    const { assigned, may_choose, place, can_return } = session.you;
    for (const { id, name } of session.rooms) {
      if (id === place || !(may_choose || id === assigned)) continue;
      choices.append(button(`Join ${name}`, () => void breakouts.join(id)));
    }
    if (place !== null && can_return) {
      choices.append(button("Return to main room", () => void breakouts.returnToMain()));
    }
  });
}

interface Readable<T> {
  readonly get: () => T;
  readonly subscribe: (listener: () => void) => () => void;
}

function follow<T>(observable: Readable<T>, show: (value: T) => void): void {
  observable.subscribe(() => show(observable.get()));
  show(observable.get());
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found;
}

function button(text: string, onClick: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.textContent = text;
  made.addEventListener("click", onClick);
  return made;
}
