import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import type { Person, PersonOptions } from "./people";
import { playCamera } from "./played-camera";

const folder = fileURLToPath(new URL("../../screenshots/", import.meta.url));

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 360, height: 740 };

/** A person at a desktop whose camera shows a colour. */
export function looking(hue: number, more: PersonOptions = {}): PersonOptions {
  return { viewport: desktop, prepare: (page) => page.addInitScript(playCamera, hue), ...more };
}

/** Writes a picture of the page, without the pointer on it. */
export async function shoot(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png`, animations: "disabled" });
}

/** Writes a picture of a person's page at a phone's size, and then one at a desktop's size. */
export async function shootBoth(person: Person, name: string): Promise<void> {
  for (const [size, viewport] of [
    ["-phone", phone],
    ["", desktop],
  ] as const) {
    await person.page.setViewportSize(viewport);
    await person.page.waitForTimeout(400);
    await shoot(person.page, `${name}${size}`);
  }
}
