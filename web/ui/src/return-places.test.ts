import { beforeEach, expect, test, vi } from "vitest";
import { focusFirst, placesBehind, rememberPlaces } from "./return-places";

const body = {};
const page = { body, activeElement: body };

beforeEach(() => {
  page.activeElement = body;
  vi.stubGlobal("document", page);
});

/** An element of a page. One that is disabled or hidden does not take the focus. */
function element({ isConnected = true, takesFocus = true }) {
  const place = {
    isConnected,
    focus: () => {
      if (takesFocus) page.activeElement = place;
    },
  };
  return place as unknown as HTMLElement;
}

test("the focus goes to the first place that is there and takes it", () => {
  const [gone, disabled] = [element({ isConnected: false }), element({ takesFocus: false })];
  const [panel, all] = [element({}), element({})];
  focusFirst([gone, disabled, panel, all]);
  expect(page.activeElement).toBe(panel);
});

test("behind a dialog that another dialog opened are the places of that one", () => {
  const [button, panel] = [element({}), element({})];
  const forgetFirst = rememberPlaces([button]);
  expect(placesBehind()).toEqual([button]);
  const forgetSecond = rememberPlaces([panel, ...placesBehind()]);
  forgetFirst();
  expect(placesBehind()).toEqual([panel, button]);
  forgetSecond();
  expect(placesBehind()).toEqual([]);
});
