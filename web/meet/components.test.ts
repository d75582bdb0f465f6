import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, test } from "vitest";

/**
 * How many lines of a component may not be blank: it fits on a screen (CONTRIBUTING.md). The linter
 * holds that for other functions, but does not count the lines between tags.
 */
const mostLines = 60;

const folders = ["src", "dev", "../ui/src"].map((folder) => join(import.meta.dirname, folder));

test("a component fits on a screen", () => {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".tsx"))
      .map((name) => join(folder, name)),
  );
  expect(files).not.toEqual([]);
  const tooLong = files.flatMap((file) =>
    longFunctions(readFileSync(file, "utf8"), mostLines).map((found) => `${file}:${found}`),
  );
  expect(tooLong).toEqual([]);
});

test("every line of a component counts that is not blank", () => {
  const code = `const Two = () => {
  return null;};
export function Six() {

  return (
    <p>
      {names.map((name) => name)}
    </p>);
}`;
  expect(longFunctions(code, 1)).toEqual(["1 has 2 lines", "3 has 6 lines"]);
  expect(longFunctions(code, 5)).toEqual(["3 has 6 lines"]);
  expect(longFunctions(code, 6)).toEqual([]);
});

/** The functions of more than `most` lines, each with the line at which it begins. */
function longFunctions(code: string, most: number): readonly string[] {
  const found: string[] = [];
  const look = ({ start, end }: { readonly start: number; readonly end: number }) => {
    const lines = code.slice(start, end).split("\n");
    const count = lines.filter((line) => line.trim() !== "").length;
    if (count <= most) return;
    found.push(`${code.slice(0, start).split("\n").length} has ${count} lines`);
  };
  new Visitor({
    FunctionDeclaration: look,
    FunctionExpression: look,
    ArrowFunctionExpression: look,
  }).visit(parseSync("component.tsx", code).program);
  return found;
}
