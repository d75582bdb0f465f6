import { expect, test } from "vitest";
import { clockText } from "./clock-text";

test("minutes and seconds, with hours where there are any", () => {
  const texts: Record<number, string> = {
    0: "0:00",
    59: "0:59",
    60: "1:00",
    725: "12:05",
    3599: "59:59",
    3600: "1:00:00",
    14400: "4:00:00",
  };
  for (const [seconds, text] of Object.entries(texts)) {
    expect(clockText(Number(seconds))).toBe(text);
  }
});
