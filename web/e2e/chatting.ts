import type { Locator } from "playwright-core";
import { type Person, soon } from "./people";

/** Writes a message, and waits until the writer sees it in the chat. */
export async function say(person: Person, text: string): Promise<void> {
  const chat = await person.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill(text);
  await chat.getByRole("button", { name: "Send" }).click();
  await heard(person, text).waitFor(soon);
}

/** A message in the open chat. */
export function heard(person: Person, text: string): Locator {
  return person.page.getByRole("log").getByText(text);
}
