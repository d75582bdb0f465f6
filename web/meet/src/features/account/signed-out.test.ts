import { createElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { live } from "../../../dev/live-page";
import { Calendars } from "./calendars";

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers as a service for which the person is signed out when they ask for this. */
function refuse(path: string): void {
  const error = { type: "authentication_error", code: "sign_in_required", message: "Sign in." };
  const answers = { calendars: { providers: [], connections: [] }, feed: { address: null } };
  vi.stubGlobal("fetch", async (url: string) => {
    if (url.endsWith(path)) return Response.json({ error }, { status: 401 });
    return Response.json(url.endsWith("feed") ? answers.feed : answers.calendars);
  });
}

function page(onSignedOut: () => void) {
  const baseUrl = "https://meet.example.com";
  return createElement(Calendars, { baseUrl, problem: null, onSignedOut });
}

test.each(["/calendars", "/calendar-feed"])(
  "a person who is signed out when %s is read signs in again",
  patient,
  async (path) => {
    refuse(path);
    expect(await drawnWhole(page(() => {}))).not.toContain('role="alert"');
    const onSignedOut = vi.fn();
    await live(page(onSignedOut));
    await vi.waitFor(() => expect(onSignedOut).toHaveBeenCalled());
  },
);
