import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConnectionTest } from "./connection-test";

beforeEach(() => {
  vi.stubGlobal("RTCRtpScriptTransform", class {});
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** How the test of a service ends that answers in this way, and what became of the first steps. */
async function resultOf(answer: () => Promise<Response>) {
  vi.stubGlobal("fetch", answer);
  const tried = new ConnectionTest({ baseUrl: "https://x.example", code: null, joinSecret: null });
  const verdict = new Promise((resolve) => {
    tried.state.subscribe(() => {
      if (tried.state.get().verdict) resolve(tried.state.get().verdict);
    });
  });
  tried.start();
  const ended = await verdict;
  const [service, signalling] = tried.state.get().steps.map(({ outcome }) => outcome.kind);
  return { ended, service, signalling };
}

test("a service that refuses the test was reached", async () => {
  const error = { type: "authentication_error", code: "sign_in_required", message: "Sign in." };
  const refuse = async () => Response.json({ error }, { status: 401 });
  expect(await resultOf(refuse)).toEqual({
    ended: { kind: "refused", code: "sign_in_required" },
    service: "ok",
    signalling: "skipped",
  });
});

test("a service that does not answer was not reached", async () => {
  const fail = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await resultOf(fail)).toEqual({
    ended: { kind: "no_service" },
    service: "failed",
    signalling: "skipped",
  });
});

test("a browser that cannot encrypt media is named, and not the network", async () => {
  const unasked = vi.fn<() => Promise<Response>>();
  vi.stubGlobal("RTCRtpScriptTransform", undefined);
  expect(await resultOf(unasked)).toEqual({
    ended: { kind: "no_browser" },
    service: "skipped",
    signalling: "skipped",
  });
  expect(unasked).not.toHaveBeenCalled();
});
