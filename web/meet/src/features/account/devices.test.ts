import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { Devices } from "./devices";

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test("a person who has signed out meanwhile signs in again", patient, async () => {
  vi.stubGlobal("fetch", async () => Response.json({ account: null, workspaces: [], oidc: false }));
  const baseUrl = "https://meet.example.com";
  const onSignedOut = vi.fn();
  await live(createElement(Devices, { baseUrl, email: "ada@example.com", onSignedOut }));
  await vi.waitFor(() => expect(onSignedOut).toHaveBeenCalled());
});
