import type { ArrivalNote, ArrivalStep } from "@conclave/client/arrival/steps";
import { firsts } from "./arrival-trace";

/** One arrival, in milliseconds since it began. */
export interface Arrival {
  /** Until the first decoded picture. */
  readonly took: number;
  /** Until a picture was drawn, which the person sees; Infinity if none was. */
  readonly drawn: number;
  readonly newcomer: readonly ArrivalNote[];
  /** What happened meanwhile on the device whose picture it is. */
  readonly host: readonly ArrivalNote[];
  /** How many programs wanted a processor. */
  readonly load: number;
}

/** For how long after the picture is drawn steps are told, in milliseconds. */
const afterwards = 150;

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** What arrivals take when nothing is lost: the median of the faster half. */
function fastMode(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return percentile(sorted.slice(0, Math.ceil(sorted.length / 2)), 0.5);
}

/** An arrival is slow when it takes more than 1.5 times the median of the faster half. */
function slowFrom(times: readonly number[]): number {
  return 1.5 * fastMode(times);
}

/** How many of them were fast, and how long the others took. */
function spread(times: readonly number[]): string {
  const slow = times.filter((time) => time > slowFrom(times));
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  return (
    `fast mode ${fastMode(times).toFixed(0)} ms, slow ${slow.length} of ${times.length}, ` +
    `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${(p95 / p50).toFixed(2)} times p50)`
  );
}

function inOrder(times: readonly number[]): string {
  return [...times]
    .sort((a, b) => a - b)
    .map((time) => time.toFixed(0))
    .join(" ");
}

/** What was measured of one of those who take turns: times by what they end with. */
export interface Times {
  readonly name: string;
  readonly until: Readonly<Record<string, readonly number[]>>;
}

/** The times of one of them, each kind apart. */
export function timesOf({ name, until }: Times): string {
  const kinds = Object.entries(until).map(
    ([what, times]) => `    until ${what}: ${spread(times)}\n      ${inOrder(times)}\n`,
  );
  return `  ${name}:\n${kinds.join("")}`;
}

/** The fast modes of all but the last, divided by those of the last. */
export function besideLast(all: readonly Times[]): string {
  const last = all.at(-1);
  return all
    .slice(0, -1)
    .map(({ name, until }) => {
      const shares = Object.entries(until).map(
        ([what, times]) =>
          `until ${what} ${(fastMode(times) / fastMode(last?.until[what] ?? [])).toFixed(2)}`,
      );
      return `  fast mode, ${name} / ${last?.name}: ${shares.join(", ")}\n`;
    })
    .join("");
}

function told(notes: readonly ArrivalNote[], until: number): string {
  return notes
    .filter(({ at }) => at <= until)
    .map(({ step, at, about }) => `${at.toFixed(0)} ${step}${about ? ` (${about})` : ""}`)
    .join(", ");
}

/** The steps of one arrival on both devices, in their order. */
export function stepsOf(name: string, arrival: Arrival): string {
  const { took, newcomer, host, load } = arrival;
  const until = endOf(arrival);
  return (
    `  ${name}: ${took.toFixed(0)} ms, load ${load.toFixed(1)}\n` +
    `    newcomer: ${told(newcomer, until)}\n    host: ${told(host, until)}\n`
  );
}

/** How many of these devices asked for a key frame before they had decoded anything. */
function asked(arrivals: readonly Arrival[]): string {
  const those = arrivals.filter(({ took, newcomer }) =>
    newcomer.some(({ step, at }) => step === "key frame asked" && at < took),
  );
  return `${those.length} of ${arrivals.length}`;
}

/** The median of each step, of the arrivals that took it, in the order of these times. */
export function medians(notes: readonly (readonly ArrivalNote[])[]): string {
  const times = new Map<ArrivalStep, number[]>();
  for (const of of notes) {
    for (const [step, at] of Object.entries(firsts(of)) as [ArrivalStep, number][]) {
      times.set(step, [...(times.get(step) ?? []), at]);
    }
  }
  return [...times]
    .map(([step, at]) => ({ step, median: percentile(at, 0.5) }))
    .sort((one, other) => one.median - other.median)
    .map(({ step, median }) => `${median.toFixed(0)} ${step}`)
    .join(", ");
}

function endOf({ took, drawn }: Arrival): number {
  return Math.max(took, Number.isFinite(drawn) ? drawn : 0) + afterwards;
}

function untilDrawn(arrival: Arrival): readonly ArrivalNote[] {
  return arrival.newcomer.filter(({ at }) => at <= endOf(arrival));
}

/** The fast and the slow arrivals apart: they differ in kind. */
export function summary(name: string, arrivals: readonly Arrival[]): string {
  const times = arrivals.map(({ took }) => took);
  const slow = arrivals.filter(({ took }) => took > slowFrom(times));
  const fast = arrivals.filter((arrival) => !slow.includes(arrival));
  return (
    `  ${name}: ${spread(times)}\n` +
    `    drawn: ${spread(arrivals.map(({ drawn }) => drawn))}\n` +
    `    asked for a key frame: fast ${asked(fast)}, slow ${asked(slow)}\n` +
    `    ${inOrder(times)}\n` +
    `    median of each step: ${medians(arrivals.map(untilDrawn))}\n`
  );
}

/** The order of a round, forward and backward in turns (A B, B A), so that no one is always first. */
export function inTurns<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : [...all].reverse();
}
