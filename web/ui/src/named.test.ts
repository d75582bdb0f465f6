import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Named } from "./named";

const drawn = (name: string, words: (name: string) => string) =>
  renderToStaticMarkup(createElement(Named, { name, words }));

test("a name in a sentence is isolated from the words around it", () => {
  expect(drawn("נועה", (name) => `Remove ${name}?`)).toBe("Remove <bdi>נועה</bdi>?");
  expect(drawn("<b>", (name) => `${name}: ${name}`)).toBe(
    "<bdi>&lt;b&gt;</bdi>: <bdi>&lt;b&gt;</bdi>",
  );
  expect(drawn("Ada", () => "Nobody")).toBe("Nobody");
});
