import { expect, test } from "vitest";
import { pageSize, tileGap, tileGrid } from "./tile-layout.js";

const desktop = { width: 1264, height: 660 };
const phone = { width: 352, height: 620 };

test("picks the number of columns that makes the tiles largest", () => {
  const columns = [1, 2, 3, 4, 6, 9, 16, 25].map((count) => tileGrid(count, desktop).columns);
  expect(columns).toEqual([1, 2, 2, 2, 3, 3, 4, 5]);
});

test("tiles never overflow the area, on any area", () => {
  for (const area of [desktop, phone, { width: 300, height: 90 }, { width: 90, height: 700 }]) {
    for (let count = 1; count <= 25; count += 1) {
      const grid = tileGrid(count, area);
      expect(grid.columns * grid.rows).toBeGreaterThanOrEqual(count);
      const width = grid.columns * grid.width + (grid.columns - 1) * tileGap;
      const height = grid.rows * grid.height + (grid.rows - 1) * tileGap;
      expect(width).toBeLessThanOrEqual(Math.max(area.width, (grid.columns - 1) * tileGap));
      expect(height).toBeLessThanOrEqual(Math.max(area.height, (grid.rows - 1) * tileGap));
    }
  }
});

test("tiles are 16:9 on a wide area, and may be taller on an upright phone", () => {
  const wide = tileGrid(4, desktop);
  expect(wide.width / wide.height).toBeCloseTo(16 / 9, 1);
  const tall = tileGrid(2, phone);
  expect(tall.width / tall.height).toBeLessThan(16 / 9);
});

test("an area without a size is not an error", () => {
  expect(tileGrid(3, { width: 0, height: 0 })).toMatchObject({ width: 0, height: 0 });
  expect(pageSize({ width: 0, height: 0 })).toBe(1);
});

test("25 people fit on a desktop's page, and a phone's page keeps faces large enough", () => {
  expect(pageSize(desktop)).toBe(25);
  expect(pageSize(phone)).toBeLessThan(25);
  expect(tileGrid(pageSize(phone), phone).width).toBeGreaterThanOrEqual(140);
});
