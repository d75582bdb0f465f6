import { expect, test, vi } from "vitest";
import type { Outcome } from "./outcome";
import { Pages } from "./pages";
import type { Page } from "./workspace-api";

interface Thing {
  readonly id: string;
  readonly name: string;
}

const thing = (id: string, name = "") => ({ id, name });

/** A fake service with pages of two items, which a test can make fail. */
class Things {
  all = ["a", "b", "c", "d", "e"].map((id) => thing(id));
  refusal: string | null = null;
  hold: Promise<void> = Promise.resolve();
  asked = 0;

  readonly load = async (after: string | null): Promise<Outcome<Page<Thing>>> => {
    this.asked += 1;
    const from = after === null ? 0 : this.all.findIndex(({ id }) => id === after) + 1;
    const data = this.all.slice(from, from + 2);
    const code = this.refusal;
    await this.hold;
    if (code !== null) return { ok: false, code, param: null };
    return { ok: true, value: { data, has_more: from + 2 < this.all.length } };
  };
}

async function opened(count: number) {
  const things = new Things();
  const pages = new Pages(things.load);
  const shown = () => {
    const state = pages.state.get();
    return state.kind === "ready" ? state.items.map(({ id, name }) => id + name).join("") : state;
  };
  const shows = (text: string) => vi.waitFor(() => expect(shown()).toBe(text));
  pages.reload();
  await shows("ab");
  for (let some = 4; some <= count; some += 2) {
    pages.showMore();
    await shows("abcde".slice(0, some));
  }
  const { asked } = things;
  const settled = (more: number) => vi.waitFor(() => expect(things.asked).toBe(asked + more));
  return { things, pages, shown, shows, settled };
}

test("a reload that fails keeps the shown items", async () => {
  const { things, pages, shown, shows, settled } = await opened(4);
  things.refusal = "network";
  pages.reload();
  await settled(1);
  expect(shown()).toBe("abcd");
  things.refusal = null;
  things.all[0] = thing("a", "!");
  pages.reload();
  await shows("a!bcd");
});

test("a reload gets as many pages as are shown", async () => {
  const { things, pages, shows } = await opened(4);
  things.all.unshift(thing("n"));
  things.all.splice(2, 1);
  pages.reload();
  await shows("nacd");
  expect(pages.state.get()).toMatchObject({ hasMore: true, failure: null });
});

test("a person who may no longer see the list sees none of it", async () => {
  const { things, pages, shown } = await opened(2);
  things.refusal = "not_a_member";
  pages.reload();
  await vi.waitFor(() => expect(shown()).toEqual({ kind: "failed", code: "not_a_member" }));
});

test("a person who is signed out before the next page sees none of the list", async () => {
  const { things, pages, shown } = await opened(2);
  things.refusal = "sign_in_required";
  pages.showMore();
  await vi.waitFor(() => expect(shown()).toEqual({ kind: "failed", code: "sign_in_required" }));
});

test("a first page that fails to load is reported, and can be tried again", async () => {
  const things = new Things();
  things.refusal = "network";
  const pages = new Pages(things.load);
  pages.reload();
  await vi.waitFor(() => expect(pages.state.get()).toEqual({ kind: "failed", code: "network" }));
  things.refusal = null;
  pages.reload();
  await vi.waitFor(() => expect(pages.state.get().kind).toBe("ready"));
});

test("a next page that fails to load keeps the others, and can be tried again", async () => {
  const { things, pages, shows } = await opened(2);
  things.refusal = "network";
  pages.showMore();
  await vi.waitFor(() => expect(pages.state.get()).toMatchObject({ failure: "network" }));
  await shows("ab");
  things.refusal = null;
  pages.showMore();
  await shows("abcd");
});

test("when all shown items are removed, the next ones take their place", async () => {
  const { things, pages, shows } = await opened(2);
  things.all.splice(0, 2);
  pages.remove("a");
  pages.remove("b");
  await shows("cd");
});

test("a local change is not undone by an older answer", async () => {
  const { things, pages, shown, shows, settled } = await opened(4);
  let answer = () => {};
  things.hold = new Promise((resolve) => {
    answer = resolve;
  });
  pages.reload();
  await settled(1);
  pages.replace(thing("b", "!"));
  pages.remove("c");
  expect(shown()).toBe("ab!d");
  things.all[1] = thing("b", "!");
  things.all.splice(2, 1);
  const seen: unknown[] = [];
  pages.state.subscribe(() => seen.push(shown()));
  things.hold = Promise.resolve();
  answer();
  await shows("ab!de");
  expect(seen).toEqual(["ab!de"]);
});
