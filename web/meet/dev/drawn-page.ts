import { text } from "node:stream/consumers";
import i18next from "i18next";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { prerenderToNodeStream } from "react-dom/static";
import { startCalendarMessages } from "../src/messages/calendars";
import { startDevicesMessages } from "../src/messages/devices";
import en from "../src/messages/en.json";
import { startMessages } from "../src/messages/i18n";
import { startMeetingMessages } from "../src/messages/meeting";
import { startRecordingsMessages } from "../src/messages/recordings";
import { startWorkspaceMessages } from "../src/messages/workspace";

function startEveryMessage(): void {
  startMessages();
  startMeetingMessages();
  startWorkspaceMessages();
  startCalendarMessages();
  startDevicesMessages();
  startRecordingsMessages();
}

/** The text of a key of the message catalogue. */
export function textOf(key: string): string {
  startEveryMessage();
  return i18next.t(key);
}

/** The markup of a page. */
function drawn(page: ReactElement): string {
  startEveryMessage();
  return renderToStaticMarkup(page);
}

/** The markup of a page, once what it waits for has come. */
export async function drawnWhole(page: ReactElement): Promise<string> {
  startEveryMessage();
  return text((await prerenderToNodeStream(page)).prelude);
}

/** The texts of the buttons of a page, in their order, as the catalogue has them. */
export function buttonsOf(page: ReactElement): readonly (string | undefined)[] {
  const buttons = drawn(page).matchAll(/<button.*?<span>(.*?)<\/span><\/button>/g);
  return [...buttons].map(([, text]) => text);
}

/** What a page says at once to assistive technology. */
export function alertsOf(page: ReactElement): readonly (string | undefined)[] {
  return withRole("alert", page);
}

/** What a page says to assistive technology when the person is not busy. */
export function statusesOf(page: ReactElement): readonly (string | undefined)[] {
  return withRole("status", page);
}

/** The texts of the elements of a page that have a role. */
function withRole(role: string, page: ReactElement): readonly (string | undefined)[] {
  const elements = drawn(page).matchAll(
    new RegExp(`<(\\w+)[^>]* role="${role}"[^>]*>(.*?)</\\1>`, "g"),
  );
  return [...elements].map(([, , content]) => content?.replaceAll(/<[^>]*>/g, ""));
}

/** The labels of the choices of a page, each with its options by their values. */
export function choicesOf(page: ReactElement): Readonly<Record<string, Record<string, string>>> {
  const fields = drawn(page).matchAll(
    /<label for="(.*?)"[^>]*>([^<]*)<\/label>(?:(?!<label).)*<select id="\1"[^>]*>(.*?)<\/select>/g,
  );
  const optionsOf = (select = "") =>
    [...select.matchAll(/<option value="(.*?)"[^>]*>(.*?)<\/option>/g)].map(
      ([, value = "", label = ""]) => [value, label] as const,
    );
  return Object.fromEntries(
    [...fields].map(([, , label = "", select]) => [label, Object.fromEntries(optionsOf(select))]),
  );
}

/** Every refusal for which the catalogue has a text. */
export const knownRefusals: readonly string[] = Object.keys(en.refused).filter(
  (key) => !key.endsWith("_next"),
);
