import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { AvatarDrawing, avatarIds } from "./avatar-art";

const drawingOf = (avatar: string) =>
  renderToStaticMarkup(createElement(AvatarDrawing, { avatar, otherwise: "initials" }));

test("there are sixteen avatars, and each is a drawing of its own", () => {
  const numbers = Array.from({ length: 16 }, (_, index) => String(index + 1).padStart(2, "0"));
  expect(avatarIds).toEqual(numbers.map((number) => `a${number}`));
  const figures = avatarIds.map((id) => /<g .*<\/g>$/.exec(drawingOf(id))?.[0]);
  expect(new Set(figures).size).toBe(16);
  for (const figure of figures) expect(figure).toMatch(/<path d="M/);
});

test("an id without a drawing shows the alternative", () => {
  expect(drawingOf("a17")).toBe("initials");
});
