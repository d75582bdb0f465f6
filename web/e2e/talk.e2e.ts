import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, quickly, soon } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function say(person: Person, text: string): Promise<void> {
  const chat = await person.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill(text);
  await chat.getByRole("button", { name: "Send" }).click();
  await chat.getByRole("log").getByText(text).waitFor(quickly);
}

function heard(person: Person, text: string) {
  return person.page.getByRole("log").getByText(text);
}

test("when chat is off, messages of a modified client are not shown", async () => {
  const room = await service.makeRoom();
  const { set, people } = await threeInChat();
  const [ada, eve, mallory] = people;

  await set({ chat: false });
  await ada.page.getByText("Chat is off in this room.").waitFor(quickly);
  const received = await ada.receives();
  await say(eve, "Sent against the rules");
  // The message arrives, because reactions are on. An accomplice shows it, and a normal
  // client does not.
  await heard(mallory, "Sent against the rules").waitFor(soon);
  await received();

  await set({ chat: false, reactions: false });
  await expect.poll(() => ada.control("React").count(), quickly).toBe(0);
  await say(eve, "Sent without the right to");

  await set({ chat: true, reactions: true });
  await ada.page.getByRole("textbox", { name: "Message" }).waitFor(quickly);
  await say(eve, "Allowed again");
  await Promise.all([ada, mallory].map((one) => heard(one, "Allowed again").waitFor(quickly)));
  expect(await heard(ada, "Sent against the rules").count()).toBe(0);
  expect(await heard(ada, "Sent without the right to").count()).toBe(0);
  // With both off, the media server passes on nothing, not even between accomplices.
  expect(await heard(mallory, "Sent without the right to").count()).toBe(0);
  await Promise.all(people.map((person) => person.close()));

  async function threeInChat() {
    const modified = { prepare: (page: Person["page"]) => page.addInitScript(believeChatIsOn) };
    const ada = await Person.in(browser, "Ada", room.url);
    const eve = await Person.in(browser, "Eve", room.url, modified);
    const mallory = await Person.in(browser, "Mallory", room.url, modified);
    const people = [ada, eve, mallory] as const;
    for (const person of people) await person.openPanel("Chat");
    await Promise.all([ada.sees("Eve"), mallory.sees("Eve")]);
    await say(eve, "Good morning");
    for (const one of [ada, mallory]) await heard(one, "Good morning").waitFor(soon);
    const set = async (settings: object) => {
      await service.call("PATCH", `/rooms/${room.id}`, { settings });
      // Rights reach the media server separately from the event stream. A request for the
      // participants makes the service bring the media server up to date first.
      await service.participants(room);
    };
    return { set, people };
  }
});

/** Runs in the page: a client that ignores that chat is off. */
function believeChatIsOn(): void {
  const original = window.fetch;
  window.fetch = async (input, init) => {
    const response = await original(input, init);
    if (!String(input).includes("/meet/v1/events?") || !response.body) return response;
    let line = "";
    const lies = new TransformStream<string, string>({
      transform(text, controller) {
        const lines = (line + text).split("\n");
        line = lines.pop() ?? "";
        for (const whole of lines) {
          controller.enqueue(`${whole.replaceAll('"chat":false', '"chat":true')}\n`);
        }
      },
    });
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(lies)
      .pipeThrough(new TextEncoderStream());
    return new Response(body, { status: response.status, headers: response.headers });
  };
}
