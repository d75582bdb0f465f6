import type { Page } from "playwright-core";

/** The steps of a device from one media room to another, in their order. */
export const moveSteps = [
  "told",
  "token",
  "signalling",
  "offered",
  "connected",
  "first packet",
  "entered",
  "all pictures",
] as const;

export type MoveStep = (typeof moveSteps)[number];

/** When each step was taken, in milliseconds after a moment. */
export type Steps = Partial<Record<MoveStep, number>>;

declare global {
  interface Window {
    /** The connections and requests of this page, by what happened to them. */
    moveTrace: { readonly what: string; readonly at: number }[];
  }
}

/** Makes a page note what its requests and connections do. Use as `prepare` of a person. */
export function traceMoves(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const now = () => performance.timeOrigin + performance.now();
    window.moveTrace = [];
    const note = (what: string) => window.moveTrace.push({ what, at: now() });
    const ask = window.fetch;
    window.fetch = async (...request) => {
      const [input] = request;
      const url = input instanceof Request ? input.url : String(input);
      const isToken = url.endsWith("/meet/v1/token");
      if (isToken) note("told");
      const response = await ask(...request);
      if (isToken) note("token");
      return response;
    };
    window.WebSocket = class extends window.WebSocket {
      constructor(...given: ConstructorParameters<typeof WebSocket>) {
        super(...given);
        this.addEventListener("open", () => note("signalling"));
      }
    };
    window.RTCPeerConnection = class extends window.RTCPeerConnection {
      constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
        super(...given);
        note("offered");
        this.addEventListener("connectionstatechange", () => {
          if (this.connectionState === "connected") note("connected");
        });
        this.addEventListener("track", ({ track }) => {
          if (track.kind === "video") {
            track.addEventListener("unmute", () => note("first packet"), { once: true });
          }
        });
      }
    };
  });
}

/** When each step was taken first after a moment, as far as the page knows. */
export async function stepsSince(page: Page, moment: number): Promise<Steps> {
  const trace = await page.evaluate(() => window.moveTrace);
  const steps: Steps = {};
  for (const { what, at } of trace) {
    const step = moveSteps.find((one) => one === what);
    if (step && at >= moment) steps[step] ??= at - moment;
  }
  return steps;
}
