import { expect, it } from "vitest";
import { SpareWorker } from "./spare-worker.js";
import { HandClock } from "./testing/hand-clock.js";

class FakeWorker extends EventTarget {
  isTerminated = false;

  terminate(): void {
    this.isTerminated = true;
  }
}

function spares() {
  const started: FakeWorker[] = [];
  const clock = new HandClock();
  const spare = new SpareWorker(() => {
    const worker = new FakeWorker();
    started.push(worker);
    return worker as unknown as Worker;
  }, clock);
  return { spare, clock, started };
}

it("starts a worker ahead only while another connection is likely", () => {
  const { spare, clock, started } = spares();
  spare.take();
  clock.pass(60_000);
  expect(started).toHaveLength(1);

  spare.want(true);
  clock.pass(2000);
  expect(started).toHaveLength(2);
  expect(spare.take()).toBe(started[1]);
  clock.pass(1999);
  expect(started).toHaveLength(2);
  clock.pass(1);
  expect(started).toHaveLength(3);
});

it("keeps the spare for the move that ends the breakout rooms, and ends it afterwards", () => {
  const { spare, clock, started } = spares();
  spare.want(true);
  clock.pass(2000);
  spare.want(false);
  clock.pass(9999);
  expect(spare.take()).toBe(started[0]);

  spare.want(true);
  clock.pass(2000);
  spare.want(false);
  clock.pass(10_000);
  expect(started[1]?.isTerminated).toBe(true);
  expect(started[0]?.isTerminated).toBe(false);
  spare.take();
  expect(started).toHaveLength(3);
});

it("gives nobody a spare that could not be loaded", () => {
  const { spare, clock, started } = spares();
  spare.want(true);
  clock.pass(2000);
  started[0]?.dispatchEvent(new Event("error"));
  expect(started[0]?.isTerminated).toBe(true);
  expect(spare.take()).toBe(started[1]);
});

it("leaves it to a connection to say that the page makes no worker", () => {
  const clock = new HandClock();
  const spare = new SpareWorker(() => {
    throw new Error("no such file");
  }, clock);
  spare.want(true);
  clock.pass(2000);
  expect(() => spare.take()).toThrow("no such file");
});

it("ends the spare with the meeting", () => {
  const { spare, clock, started } = spares();
  spare.want(true);
  clock.pass(2000);
  spare.close();
  expect(started[0]?.isTerminated).toBe(true);
  clock.pass(60_000);
  expect(started).toHaveLength(1);
});
