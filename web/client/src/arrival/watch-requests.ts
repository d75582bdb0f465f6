import { now, type TakeNote } from "./steps.js";

const requests = [
  { path: "/meet/v1/token", before: "token asked", after: "token" },
  { path: "/meet/v1/join", before: "seat asked", after: "seat" },
] as const;

/** Notes the requests for a seat and for a token, and the click that led to the first. */
export function watchRequests(page: Window & typeof globalThis, note: TakeNote): void {
  let clicked: number | null = null;
  page.addEventListener(
    "click",
    () => {
      clicked = now();
    },
    { capture: true },
  );
  const ask = page.fetch;
  page.fetch = async (...request) => {
    const [input] = request;
    const url = input instanceof Request ? input.url : String(input);
    const known = requests.find(({ path }) => url.endsWith(path));
    if (known === undefined) return ask(...request);
    if (known.before === "seat asked" && clicked !== null) note("clicked", undefined, clicked);
    note(known.before);
    const response = await ask(...request);
    note(known.after);
    return response;
  };
}

/** Notes what the WebSocket of a media connection does: the gate, and the first answer through it. */
export function watchSockets(page: Window & typeof globalThis, note: TakeNote): void {
  page.WebSocket = class extends page.WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      if (!new URL(this.url).pathname.startsWith("/rtc")) return;
      note("gate asked");
      this.addEventListener("open", () => note("gate open"), { once: true });
      this.addEventListener("message", () => note("join response"), { once: true });
    }
  };
}
