import { EngineEvent, type Room } from "livekit-client";
import { expect, test } from "vitest";
import { type DataEngine, sendPromptly } from "./prompt-data.js";
import { Emitter } from "./testing/emitter.js";
import { HandClock } from "./testing/hand-clock.js";

/** The library's engine while it connects again, and how often what it kept was sent. */
function connectingAgain() {
  const state = { isConnecting: true };
  const told: string[] = [];
  const reliable = {
    isDeferringSends: () => state.isConnecting,
    replay: async (after: number) => void told.push(`replay after ${after}`),
    reset: () => void told.push("reset"),
  };
  const data: DataEngine = {
    dataChannels: { reliable },
    publisherConnectionPromise: Promise.reject(new Error("the channel before never opened")),
  };
  data.publisherConnectionPromise?.catch(() => {});
  const engine = Object.assign(new Emitter(), data);
  const clock = new HandClock();
  sendPromptly({ engine } as unknown as Room, clock);
  return { engine, reliable, state, told, clock };
}

test("packets wait for a resumption, but not once there is a new connection", () => {
  const { engine, reliable, told } = connectingAgain();
  for (const begin of [EngineEvent.Resuming, EngineEvent.Restarting]) {
    engine.emit(begin);
    expect(reliable.isDeferringSends()).toBe(true);
    engine.emit(EngineEvent.SignalRestarted);
    expect(reliable.isDeferringSends()).toBe(false);
  }
  expect(told).toEqual(["reset", "reset"]);
});

test("a new connection waits for its own channel", () => {
  const { engine } = connectingAgain();
  engine.emit(EngineEvent.SignalRestarted);
  expect(engine.publisherConnectionPromise).toBeUndefined();
});

test("after a resumption, what waited is sent before anything else", () => {
  const { engine, reliable, state, told, clock } = connectingAgain();
  engine.emit(EngineEvent.Resuming);
  engine.emit(EngineEvent.Resumed);
  state.isConnecting = false;
  expect([reliable.isDeferringSends(), told]).toEqual([true, []]);
  clock.pass(0);
  expect([reliable.isDeferringSends(), told]).toEqual([false, ["replay after 0"]]);
});

test("what waited goes on waiting when a resumption is interrupted again", () => {
  const { engine, reliable, told, clock } = connectingAgain();
  engine.emit(EngineEvent.Resumed);
  engine.emit(EngineEvent.Resuming);
  clock.pass(0);
  expect([reliable.isDeferringSends(), told]).toEqual([true, []]);
});
