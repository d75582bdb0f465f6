import { EngineEvent, type Room } from "livekit-client";
import { expect, test } from "vitest";
import { type DataEngine, sendPromptly } from "./prompt-data.js";
import { Emitter } from "./testing/emitter.js";
import { HandClock } from "./testing/hand-clock.js";

/** The library's engine while it connects again, and how often what it kept was sent. */
function connectingAgain() {
  const replayed: number[] = [];
  const replay = async (after: number) => void replayed.push(after);
  const reliable = { isDeferringSends: () => true, replay };
  const data: DataEngine = {
    dataChannels: { reliable },
    publisherConnectionPromise: Promise.reject(new Error("the channel before never opened")),
  };
  data.publisherConnectionPromise?.catch(() => {});
  const engine = Object.assign(new Emitter(), data);
  const clock = new HandClock();
  sendPromptly({ engine } as unknown as Room, clock);
  return { engine, reliable, replayed, clock };
}

test("packets wait for a resumption, and not for the end of a new connection's first seconds", () => {
  const { engine, reliable } = connectingAgain();
  engine.emit(EngineEvent.Resuming);
  expect(reliable.isDeferringSends()).toBe(true);
  engine.emit(EngineEvent.Restarting);
  expect(reliable.isDeferringSends()).toBe(true);
  engine.emit(EngineEvent.SignalRestarted);
  expect(reliable.isDeferringSends()).toBe(false);
  engine.emit(EngineEvent.Resuming);
  expect(reliable.isDeferringSends()).toBe(true);
});

test("a new connection waits for its own channel", () => {
  const { engine } = connectingAgain();
  engine.emit(EngineEvent.SignalRestarted);
  expect(engine.publisherConnectionPromise).toBeUndefined();
});

test("what waited is sent after a resumption, also if the media server had got nothing before", () => {
  const { engine, replayed, clock } = connectingAgain();
  engine.emit(EngineEvent.Resumed);
  expect(replayed).toEqual([]); // the library keeps packets for another moment
  clock.pass(0);
  expect(replayed).toEqual([0]);
});
