import { expect, test } from "vitest";
import { pathFromInput, placeOf } from "./address";

test("the path is the code, and the fragment a join link's secret", () => {
  expect(placeOf("/", "", "")).toEqual({ kind: "home" });
  expect(placeOf("/abc-defg-hjk", "", "")).toEqual({
    kind: "room",
    code: "abc-defg-hjk",
    joinSecret: null,
    linkSecret: null,
  });
  expect(placeOf("/ABC-defg-hjk/", "", "#join=s3cret")).toEqual({
    kind: "room",
    code: "abc-defg-hjk",
    joinSecret: "s3cret",
    linkSecret: null,
  });
  expect(placeOf("/%E0%A4%A", "", "#join=")).toEqual({
    kind: "room",
    code: "%e0%a4%a",
    joinSecret: null,
    linkSecret: null,
  });
});

test("the fragment also holds a strict room's secret, which is not taken for none when it is cut", () => {
  const secrets: Record<string, [string | null, string | null]> = {
    "#k=AAECAwQFBgcICQoLDA0ODw": [null, "AAECAwQFBgcICQoLDA0ODw"],
    "#join=s3cret&k=AAEC-_": ["s3cret", "AAEC-_"],
    "#k=": [null, ""],
  };
  for (const [hash, [joinSecret, linkSecret]] of Object.entries(secrets)) {
    expect(placeOf("/abc-defg-hjk", "", hash), hash).toEqual({
      kind: "room",
      code: "abc-defg-hjk",
      joinSecret,
      linkSecret,
    });
  }
});

test("no page has an address of several parts", () => {
  expect(placeOf("/abc-defg-hjk/more", "", "")).toEqual({ kind: "missing" });
  expect(placeOf("/settings//profile/", "", "#join=s3cret")).toEqual({ kind: "missing" });
});

test("pages that are not rooms have their own paths", () => {
  expect(placeOf("/recordings", "", "")).toEqual({ kind: "recordings" });
  expect(placeOf("/account", "", "")).toEqual({ kind: "account", problem: null });
  expect(placeOf("/account", "", "#problem=calendar_denied")).toEqual({
    kind: "account",
    problem: "calendar_denied",
  });
  expect(placeOf("/invitation", "", "#s3cret")).toEqual({ kind: "invitation", secret: "s3cret" });
  expect(placeOf("/sign-in", "", "#problem=oidc_unknown")).toEqual({
    kind: "sign-in",
    next: "/",
    linkSecret: null,
    problem: "oidc_unknown",
  });
  expect(placeOf("/sign-in", "?next=/abc-defg-hjk", "#k=s3cret")).toEqual({
    kind: "sign-in",
    next: "/abc-defg-hjk",
    linkSecret: "s3cret",
    problem: null,
  });
});

test("signing in leads only to a path of this service", () => {
  const leads: Record<string, string> = {
    "/abc-defg-hjk": "/abc-defg-hjk",
    "//evil.example": "/",
    "/\\evil.example": "/",
    "/\t/evil.example": "/",
    "https://evil.example": "/",
    "javascript:alert(1)": "/",
    "": "/",
  };
  for (const [wanted, next] of Object.entries(leads)) {
    const search = `?next=${encodeURIComponent(wanted)}`;
    expect(placeOf("/sign-in", search, ""), wanted).toEqual({
      kind: "sign-in",
      next,
      linkSecret: null,
      problem: null,
    });
  }
});

test("a code is understood in any spelling, and so is a link of this service", () => {
  const origin = "https://meet.example.com";
  const understood: Record<string, string | null> = {
    " abc-defg-hjk ": "/abc-defg-hjk",
    ABCDEFGHJK: "/abc-defg-hjk",
    "https://meet.example.com/abc-defg-hjk#join=x": "/abc-defg-hjk#join=x",
    "https://meet.example.com/abc-defg-hjk#k=x": "/abc-defg-hjk#k=x",
    "https://elsewhere.example.com/abc-defg-hjk": null,
    "https://meet.example.com/": null,
    "javascript:alert(1)": null,
    "not a code": null,
    "": null,
  };
  for (const [input, path] of Object.entries(understood)) {
    expect(pathFromInput(input, origin), input).toBe(path);
  }
});
