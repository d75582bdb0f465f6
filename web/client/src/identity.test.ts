import { expect, test } from "vitest";
import { personOf } from "./identity.js";

test("all devices of a person are that person", () => {
  expect(personOf("api_kit-7.x7q2m1")).toBe("api_kit-7");
  expect(personOf("user_ada.lovelace.x7q2m1")).toBe("user_ada.lovelace");
  expect(personOf("guest_a")).toBe("guest_a");
});
