import { createElement } from "react";
import { expect, test } from "vitest";
import { live } from "../../../dev/live-page";
import { noAnswer } from "../../member/outcome";
import type { AccountService } from "./account-service";
import { useSignOutEverywhere } from "./use-sign-out-everywhere";

test("signing out everywhere leaves the page once it is done, and says when it failed", async () => {
  const over = { ok: false, code: "sign_in_required", param: null };
  const answers = [noAnswer, over, { ok: true, value: {} }];
  const service = { signOutEverywhere: async () => answers.shift() };
  const gone: string[] = [];
  let drawn: ReturnType<typeof useSignOutEverywhere> | null = null;
  const Page = () => {
    drawn = useSignOutEverywhere(service as unknown as AccountService, (path) => gone.push(path));
    return null;
  };
  const change = await live(createElement(Page));
  const now = () => drawn as unknown as ReturnType<typeof useSignOutEverywhere>;
  await change(() => now().signOut());
  expect([now().refusal, now().isAsking, gone]).toEqual(["network", false, []]);
  // The session of this browser is over, and those of the others are not.
  await change(() => now().signOut());
  expect(gone).toEqual(["/sign-in?next=/account"]);
  await change(() => now().signOut());
  expect([now().refusal, gone.at(-1)]).toEqual([null, "/"]);
});
