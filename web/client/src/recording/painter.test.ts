import { expect, test } from "vitest";
import { shortened } from "./painter.js";

test("a name that does not fit is cut at the end", () => {
  const fits = (part: string) => part.length <= 8;
  expect(shortened("Plato", fits)).toBe("Plato");
  expect(shortened("Ada Lovelace", fits)).toBe("Ada Lov…");
  expect(shortened("Ada of Lovelace", (part) => part.length <= 5)).toBe("Ada…");
  expect(shortened("Ada", () => false)).toBe("A…");
});
