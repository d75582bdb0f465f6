import { createElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { Calendars } from "./calendars";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The page of a person without a calendar, where the service connects these kinds. */
function page(providers: readonly string[]): Promise<string> {
  vi.stubGlobal("fetch", async (url: string) =>
    Response.json(url.endsWith("/calendars") ? { providers, connections: [] } : { address: null }),
  );
  const baseUrl = "https://meet.example.com";
  return drawnWhole(createElement(Calendars, { baseUrl, problem: null, onSignedOut: () => {} }));
}

const linksOf = (markup: string) =>
  [...markup.matchAll(/<a [^>]*href="(.*?)"[^>]*>(.*?)<\/a>/g)].map(([, href, name]) => [
    name,
    href,
  ]);
const headingsOf = (markup: string) =>
  [...markup.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, name]) => name);

test("the kinds of calendars that the service connects lead to their providers", async () => {
  const start = "https://meet.example.com/account/v1/calendars";
  const markup = await page(["caldav", "google", "microsoft"]);
  expect(linksOf(markup)).toEqual([
    ["Connect Google Calendar", `${start}/google/start`],
    ["Connect Microsoft 365", `${start}/microsoft/start`],
  ]);
  expect(linksOf(await page(["caldav", "microsoft"]))).toEqual([
    ["Connect Microsoft 365", `${start}/microsoft/start`],
  ]);
  expect(linksOf(await page(["caldav"]))).toEqual([]);
});

test("the person's own calendars come before the feed, each part under its heading", async () => {
  const markup = await page(["caldav"]);
  expect(headingsOf(markup)).toEqual(["Connected calendars", "Calendar feed"]);
  expect(markup).toContain("Copy address");
});
