import { expect, test } from "vitest";
import { type Actor, layOut, pictureId, type SceneTile } from "./scene.js";

const area = { width: 1280, height: 720 };

function actor(identity: string, more: Partial<Actor> = {}): Actor {
  return {
    identity,
    name: identity.toUpperCase(),
    avatar: null,
    hasCamera: true,
    hasScreen: false,
    isMuted: false,
    isSpeaking: false,
    ...more,
  };
}

const people = (count: number) => Array.from({ length: count }, (_, i) => actor(`p${i}`));
const isInside = ({ x, y, width, height }: SceneTile) =>
  x >= 0 && y >= 0 && x + width <= area.width && y + height <= area.height;
const overlap = (a: SceneTile, b: SceneTile) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test("without people the picture is empty", () => {
  expect(layOut([], null, area)).toEqual({ tiles: [], unseen: 0 });
});

test("one person fills the picture", () => {
  const [tile] = layOut(people(1), null, area).tiles;
  expect(tile).toMatchObject({ x: 0, y: 0, width: 1280, height: 720, fit: "cover", label: "P0" });
});

test.each([2, 3, 5, 7, 9, 16])("%i people are in a grid, inside the picture and apart", (count) => {
  const { tiles, unseen } = layOut(people(count), null, area);
  expect([tiles.length, unseen]).toEqual([count, 0]);
  expect(tiles.every(isInside)).toBe(true);
  for (const [i, one] of tiles.entries()) {
    for (const other of tiles.slice(i + 1)) expect(overlap(one, other)).toBe(false);
  }
});

test("a last row that is not full is centred", () => {
  const [first, second, third] = layOut(people(3), null, area).tiles;
  expect(third?.x).toBe(((first?.x ?? 0) + (second?.x ?? 0)) / 2);
});

test("a grid holds sixteen people, and counts those without a place", () => {
  const { tiles, unseen } = layOut(people(19), null, area);
  expect([tiles.length, unseen]).toEqual([16, 3]);
});

test("a shared screen is large and uncropped, with four people beside it", () => {
  const order = [...people(5), actor("s", { hasScreen: true, isSpeaking: true })];
  const { tiles, unseen } = layOut(order, null, area);
  const [screen, ...others] = tiles;
  expect(screen).toMatchObject({ picture: "screen s", fit: "contain", x: 0, isSpeaking: false });
  expect((screen?.width ?? 0) / area.width).toBeGreaterThan(0.75);
  expect(others.map(({ identity }) => identity)).toEqual(["p0", "p1", "p2", "p3"]);
  expect(unseen).toBe(2);
  expect(tiles.every(isInside)).toBe(true);
  expect(others.some((tile) => screen && overlap(screen, tile))).toBe(false);
});

test("a second screen does not replace the first, and is shown when the first ends", () => {
  const both = ["a", "b"].map((name) => actor(name, { hasScreen: true }));
  expect(layOut(both, "b", area).tiles[0]?.picture).toBe(pictureId("b", "screen"));
  expect(layOut(both, "gone", area).tiles[0]?.picture).toBe(pictureId("a", "screen"));
});

test("a person without a camera has no picture", () => {
  const [tile] = layOut([actor("a", { hasCamera: false, avatar: "a03" })], null, area).tiles;
  expect(tile).toMatchObject({ picture: null, avatar: "a03" });
});
