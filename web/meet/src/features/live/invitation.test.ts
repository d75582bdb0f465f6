import { expect, test } from "vitest";
import { invitationTo } from "./invitation";

const url = "https://meet.example.com/abc-defg-hjk";

test("people in a strict room pass on the secret part of their own link", () => {
  expect(invitationTo({ url, encryption: "strict" }, "s")).toEqual({
    link: `${url}#k=s`,
    hasSecret: true,
  });
  expect(invitationTo({ url, encryption: "strict" }, null)).toEqual({
    link: url,
    hasSecret: false,
  });
});

test("a standard room's link has no secret part", () => {
  expect(invitationTo({ url, encryption: "standard" }, "s").link).toBe(url);
});
