import { expect, test } from "vitest";
import { EarlyWorker } from "./early-worker";

function setUp() {
  const created: Worker[] = [];
  const create = () => {
    const worker = { onerror: null } as Worker;
    created.push(worker);
    return worker;
  };
  return { created, early: new EarlyWorker(create) };
}

test("a prepared worker is given out once", () => {
  const { created, early } = setUp();
  early.prepare();
  early.prepare();
  expect(created).toHaveLength(1);
  expect(early.take()).toBe(created[0]);
  expect(early.take()).toBe(created[1]);
});

test("a prepared worker that failed is not given out", () => {
  const { created, early } = setUp();
  early.prepare();
  created[0]?.onerror?.call(created[0], new Event("error") as ErrorEvent);
  expect(early.take()).toBe(created[1]);
});
