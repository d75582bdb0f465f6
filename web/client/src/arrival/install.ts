import { followWorkers } from "./follow-workers.js";
import { type ArrivalNote, newNote, type TakeNote } from "./steps.js";
import { watchConnections } from "./watch-connections.js";
import { watchCamera, watchDrawing } from "./watch-pictures.js";
import { watchRequests, watchSockets } from "./watch-requests.js";

/** Traces arrivals on this page. The notes are also in the browser's performance panel. */
function traceArrival(page: Window & typeof globalThis): void {
  const notes: ArrivalNote[] = [];
  page.arrival = notes;
  const add = (taken: ArrivalNote) => {
    notes.push(taken);
    performance.mark(taken.step, { startTime: Math.max(0, taken.at - performance.timeOrigin) });
  };
  const note: TakeNote = (...given) => add(newNote(...given));
  const others = new Set<string>();
  watchRequests(page, note);
  watchSockets(page, note);
  watchConnections(page, note, ({ id }) => others.add(id));
  watchCamera(page.navigator.mediaDevices, note);
  watchDrawing(page, note, ({ id }) => others.has(id));
  followWorkers(page, add);
}

traceArrival(window);
