import type { Page } from "playwright-core";

/**
 * What a device does until it shows a picture in a media room. The media library decides whether it
 * makes the peer connection before or after it has signalling.
 */
const connectSteps = [
  "signalling begins",
  "signalling",
  "peer connection",
  "answered",
  "path found",
  "connected",
  "first packet",
] as const;

/** The steps of a device from one media room to another. */
export const moveSteps = ["told", "token", ...connectSteps, "entered", "all pictures"] as const;

/** The steps of a person from "Join now" to the first picture of somebody else. */
export const joinSteps = ["seat asked", "seat", ...connectSteps, "decoded"] as const;

export type Step = (typeof moveSteps)[number] | (typeof joinSteps)[number];

/** When each step was taken, in milliseconds after a moment. */
export type Steps = Partial<Record<Step, number>>;

declare global {
  interface Window {
    /** The connections and requests of this page, by what happened to them. */
    stepTrace: { readonly what: Step; readonly at: number }[];
  }
}

/** Makes a page note what its requests and connections do. Use as `prepare` of a person. */
export function traceSteps(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const now = () => performance.timeOrigin + performance.now();
    window.stepTrace = [];
    const note = (what: Step) => window.stepTrace.push({ what, at: now() });
    const requests = [
      { path: "/meet/v1/token", before: "told", after: "token" },
      { path: "/meet/v1/join", before: "seat asked", after: "seat" },
    ] as const;
    const ask = window.fetch;
    window.fetch = async (...request) => {
      const [input] = request;
      const url = input instanceof Request ? input.url : String(input);
      const known = requests.find(({ path }) => url.endsWith(path));
      if (known) note(known.before);
      const response = await ask(...request);
      if (known) note(known.after);
      return response;
    };
    window.WebSocket = class extends window.WebSocket {
      constructor(...given: ConstructorParameters<typeof WebSocket>) {
        super(...given);
        note("signalling begins");
        this.addEventListener("open", () => note("signalling"));
      }
    };
    window.RTCPeerConnection = class extends window.RTCPeerConnection {
      constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
        super(...given);
        note("peer connection");
        this.addEventListener("signalingstatechange", () => {
          if (this.signalingState === "stable") note("answered");
        });
        this.addEventListener("iceconnectionstatechange", () => {
          if (this.iceConnectionState === "connected") note("path found");
        });
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
  const trace = await page.evaluate(() => window.stepTrace);
  const steps: Steps = {};
  for (const { what, at } of trace) {
    if (at >= moment) steps[what] ??= at - moment;
  }
  return steps;
}
