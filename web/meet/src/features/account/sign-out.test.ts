import { createElement, type FunctionComponent } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { noAnswer, type Outcome } from "../../member/outcome";
import { AccountBar, type AccountBarProps } from "./account-bar";
import type { AccountService, Session } from "./account-service";
import { WhoLine, type WhoLineProps } from "./who-line";

const shown = vi.hoisted(() => ({ problem: "", isBusy: false, press: () => {} }));
vi.mock("@conclave/ui/button", () => ({
  Button: (props: { isBusy?: boolean; onPress: () => void }) => {
    shown.isBusy = props.isBusy ?? false;
    shown.press = props.onPress;
    return null;
  },
}));
vi.mock("./problem", () => ({
  Problem: ({ code }: { code: string }) => {
    shown.problem = code;
    return null;
  },
}));

const ada: Session = {
  account: { email: "ada@example.com", name: "Ada", has_password: true },
  workspaces: [],
  oidc: false,
};
const session = Promise.resolve<Outcome<Session>>({ ok: true, value: ada });

beforeEach(() => {
  shown.problem = "";
});

test.each<[string, FunctionComponent<AccountBarProps & WhoLineProps>]>([
  ["above the start page", AccountBar],
  ["before a meeting", WhoLine],
])("signing out %s leaves the page once it is done, and says when it failed", async (_, Part) => {
  let answer: (outcome: Outcome<unknown>) => void = () => {};
  const signOut = () => new Promise<Outcome<unknown>>((resolve) => (answer = resolve));
  const service = { signOut } as unknown as AccountService;
  let left = 0;
  const leave = () => {
    left += 1;
  };
  const change = await live(
    createElement(Part, { service, session, goTo: leave, onSignedOut: leave }),
  );
  await change(() => shown.press());
  expect(shown.isBusy).toBe(true);
  await change(() => answer(noAnswer));
  expect([shown.problem, shown.isBusy, left]).toEqual(["network", false, 0]);
  await change(() => shown.press());
  await change(() => answer({ ok: true, value: {} }));
  expect(left).toBe(1);
});
