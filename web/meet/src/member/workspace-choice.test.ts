import { expect, test } from "vitest";
import { chosenWorkspace, rememberWorkspace } from "./workspace-choice";

const own = { id: "p", name: "ada@acme.example", personal: true };
const acme = { id: "a", name: "Acme", personal: false };
const other = { id: "o", name: "Other", personal: false };

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

test("the first workspace with others comes before the personal one", () => {
  expect(chosenWorkspace([own, acme, other], memory())).toBe(acme);
  expect(chosenWorkspace([own], memory())).toBe(own);
  expect(chosenWorkspace([], memory())).toBeNull();
});

test("the chosen workspace is remembered while it exists", () => {
  const store = memory();
  rememberWorkspace("o", store);
  expect(chosenWorkspace([own, acme, other], store)).toBe(other);
  expect(chosenWorkspace([own, acme], store)).toBe(acme);
});
