import { expect, test } from "vitest";
import { allClosed, choosePanel, tellNews } from "./panel-state";

const news = { panel: "polls", id: "poll-1" } as const;

test("a panel with news opens by itself when no other one is open", () => {
  expect(tellNews(allClosed, news, false)).toEqual({ open: "polls", news });
});

test("a panel with news replaces no other one, and covers no phone", () => {
  expect(tellNews(choosePanel("chat"), news, false)).toEqual({ open: "chat", news });
  expect(tellNews(allClosed, news, true)).toEqual({ open: null, news });
});

test("the panel that is open shows its own news", () => {
  const open = choosePanel("polls");
  expect(tellNews(open, news, false)).toBe(open);
});

test("the news is over when the person opens or closes a panel", () => {
  expect(choosePanel("people")).toEqual({ open: "people", news: null });
  expect(choosePanel(null)).toEqual(allClosed);
});
