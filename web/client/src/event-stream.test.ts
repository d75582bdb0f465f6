import { expect, test } from "vitest";
import { EventStream } from "./event-stream.js";
import { Service } from "./service.js";
import { HandClock } from "./testing/hand-clock.js";
import type { ServiceEvent } from "./wire.js";

/** One answer of a fake service: a stream that the test writes into and ends. */
class Line {
  readonly request: Request;
  readonly response: Response;
  #writer: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor(request: Request) {
    this.request = request;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#writer = controller;
        request.signal.addEventListener("abort", () => controller.error(new Error("aborted")));
      },
    });
    this.response = new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }

  write(text: string): void {
    this.#writer?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#writer?.close();
  }
}

function setup(
  answer?: ((request: Request) => Response | Promise<never> | null) | null,
  onEvent?: (event: ServiceEvent) => void,
) {
  const clock = new HandClock();
  const lines: Line[] = [];
  const events: ServiceEvent[] = [];
  const live: boolean[] = [];
  let refused = 0;
  let changed: () => void = () => {};
  const notify = () => changed();
  const fakeFetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const other = answer?.(request);
    if (other) return other;
    const line = new Line(request);
    lines.push(line);
    notify();
    return line.response;
  };
  const stream = new EventStream({
    service: new Service({ baseUrl: "http://localhost", fetch: fakeFetch }),
    ticket: "secret",
    clock,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
      notify();
    },
    onRefused: () => {
      refused += 1;
      notify();
    },
    onLive: (value) => {
      live.push(value);
      notify();
    },
  });
  /** Waits for something that happens by itself, without a clock. */
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      changed = () => {
        if (condition()) resolve();
      };
      changed();
    });
  return { clock, lines, events, live, stream, until, refused: () => refused };
}

/** What a request on a dead line comes to. */
function neverAnswering(request: Request): Promise<never> {
  return new Promise((_, reject) => {
    request.signal.addEventListener("abort", () => reject(new Error("aborted")));
  });
}

const people = "id: 4\nevent: people\ndata: []\n\n";

test("the stream passes on the service's events, and skips unknown ones", async () => {
  const { lines, events, until, stream } = setup();
  await until(() => lines.length === 1);
  lines[0]?.write(`event: weather\ndata: {}\n\n${people}`);
  await until(() => events.length === 1);
  expect(events).toEqual([{ type: "people", data: [] }]);
  expect(lines[0]?.request.headers.get("Authorization")).toBe("Bearer secret");
  stream.close();
});

test("the stream reconnects after the connection ends, and resumes where it stopped", async () => {
  const { clock, lines, events, live, until, stream } = setup();
  await until(() => lines.length === 1);
  lines[0]?.write(people);
  await until(() => events.length === 1);
  lines[0]?.end();
  await until(() => live.at(-1) === false);
  clock.pass(2000);
  await until(() => lines.length === 2);
  expect(lines[1]?.request.headers.get("Last-Event-ID")).toBe("4");
  stream.close();
});

test("the stream asks for changes of the list of people", async () => {
  const { lines, until, stream } = setup();
  await until(() => lines.length === 1);
  expect(new URL(lines[0]?.request.url ?? "").search).toBe("?changes=people");
  stream.close();
});

test("a restart asks without the id of the last event, and takes nothing more of the old stream", async () => {
  const { clock, lines, events, live, until, stream } = setup();
  await until(() => lines.length === 1);
  lines[0]?.write(people);
  await until(() => events.length === 1);
  stream.restart();
  await until(() => live.at(-1) === false);
  expect(lines[0]?.request.signal.aborted).toBe(true);
  clock.pass(2000);
  await until(() => lines.length === 2);
  expect(lines[1]?.request.headers.get("Last-Event-ID")).toBeNull();
  lines[1]?.write(people);
  await until(() => events.length === 2);
  stream.close();
});

test("a restart between two events of one chunk drops the second", async () => {
  const { lines, events, until, stream } = setup(null, () => stream.restart());
  await until(() => lines.length === 1);
  lines[0]?.write(`${people}${people}`);
  await until(() => lines[0]?.request.signal.aborted === true && events.length === 1);
  stream.close();
});

test("forty seconds of silence mean a dead connection, a comment a living one", async () => {
  const { clock, lines, live, events, until, stream } = setup();
  await until(() => live.length === 1);
  clock.pass(39_000);
  lines[0]?.write(`: still here\n\n${people}`);
  await until(() => events.length === 1);
  clock.pass(39_000);
  expect(lines[0]?.request.signal.aborted).toBe(false);
  clock.pass(2_000);
  await until(() => live.at(-1) === false);
  expect(lines[0]?.request.signal.aborted).toBe(true);
  stream.close();
});

test("the stream does not reconnect after the end of the seat", async () => {
  const { clock, lines, events, until } = setup();
  await until(() => lines.length === 1);
  lines[0]?.write('event: end\ndata: {"reason": "removed"}\n\n');
  await until(() => events.length === 1);
  clock.pass(600_000);
  expect(lines).toHaveLength(1);
});

test("a refused ticket ends the stream; an unreachable service does not", async () => {
  const error = { error: { code: "ticket_invalid", message: "Gone." } };
  let status = 503;
  const { clock, live, until, refused } = setup(() => Response.json(error, { status }));
  await until(() => live.length === 1);
  expect(refused()).toBe(0);
  status = 401;
  clock.pass(5000);
  await until(() => refused() === 1);
});

test("a stream waits as long as a busy service asks for before it tries again", async () => {
  const busy = new Response("{}", { status: 429, headers: { "Retry-After": "3" } });
  const answers = [busy];
  const { clock, lines, stream, until } = setup(() => answers.shift() ?? null);
  await clock.started(1, 3250);
  clock.pass(3250);
  await until(() => lines.length === 1);
  stream.close();
});

test("when the network is back, another connection goes on where the old one stopped", async () => {
  const { clock, lines, events, live, until, stream } = setup();
  await until(() => lines.length === 1);
  lines[0]?.write(people);
  await until(() => events.length === 1);
  clock.pass(10_000);
  stream.renew();
  await until(() => lines.length === 2);
  expect(lines[0]?.request.signal.aborted).toBe(true);
  expect(lines[1]?.request.headers.get("Last-Event-ID")).toBe("4");
  lines[1]?.write(people.replace("4", "5"));
  await until(() => events.length === 2);
  expect(live.at(-1)).toBe(true);
  stream.close();
});

test("when the network is back, no pause between two attempts is waited out", async () => {
  const answers = [Response.json({}, { status: 503 })];
  const { lines, live, until, stream } = setup(() => answers.shift() ?? null);
  await until(() => live.at(-1) === false);
  stream.renew();
  await until(() => lines.length === 1);
  stream.close();
});

test("a network that comes and goes renews the stream at once, and then every five seconds", async () => {
  const { clock, lines, live, until, stream } = setup();
  await until(() => live.length === 1);
  for (let times = 0; times < 100; times += 1) stream.renew();
  await until(() => live.length === 3);
  expect(lines).toHaveLength(2);
  clock.pass(4000);
  for (let times = 0; times < 100; times += 1) stream.renew();
  clock.pass(999);
  expect(lines[1]?.request.signal.aborted).toBe(false);
  clock.pass(1);
  await until(() => live.length === 5);
  expect(lines).toHaveLength(3);
  clock.pass(5000);
  expect(lines[2]?.request.signal.aborted).toBe(false);
  stream.close();
});

test("a stream on which something came after the network was back is not renewed again", async () => {
  const { clock, lines, events, live, until, stream } = setup();
  await until(() => live.length === 1);
  stream.renew();
  await until(() => live.length === 3);
  clock.pass(1000);
  stream.renew();
  clock.pass(1000);
  lines[1]?.write(people);
  await until(() => events.length === 1);
  clock.pass(10_000);
  expect(lines[1]?.request.signal.aborted).toBe(false);
  stream.close();
});

test("a page that is seen again renews a stream that was silent for long, and no other", async () => {
  const { clock, lines, live, until, stream } = setup();
  await until(() => live.length === 1);
  clock.pass(20_000);
  stream.renewIfSilent();
  expect(lines[0]?.request.signal.aborted).toBe(false);
  clock.pass(1000);
  stream.renewIfSilent();
  await until(() => lines.length === 2);
  stream.close();
});

test("a stream on which nothing comes for some seconds, although others have news, is renewed", async () => {
  const { clock, lines, live, until, stream } = setup();
  await until(() => live.length === 1);
  clock.pass(10_000);
  for (let times = 0; times < 100; times += 1) stream.renewIfMissing();
  clock.pass(2999);
  expect(lines[0]?.request.signal.aborted).toBe(false);
  clock.pass(1);
  await until(() => live.length === 3);
  expect(lines[0]?.request.signal.aborted).toBe(true);
  stream.close();
});

test("a stream on which something comes after others have news is not renewed", async () => {
  const { clock, lines, events, live, until, stream } = setup();
  await until(() => live.length === 1);
  stream.renewIfMissing();
  clock.pass(1000);
  lines[0]?.write(people);
  await until(() => events.length === 1);
  clock.pass(30_000);
  expect(lines[0]?.request.signal.aborted).toBe(false);
  stream.close();
});

test("those who always say that they have news renew the stream once a minute at most", async () => {
  const { clock, lines, live, until, stream } = setup();
  await until(() => live.length === 1);
  stream.renewIfMissing();
  clock.pass(3000);
  await until(() => live.length === 3);
  for (let second = 0; second < 59; second += 1) {
    if (second % 15 === 0) {
      lines[1]?.write(": still here\n\n");
      await new Promise((resolve) => setTimeout(resolve));
    }
    stream.renewIfMissing();
    clock.pass(1000);
  }
  expect(lines).toHaveLength(2);
  expect(lines[1]?.request.signal.aborted).toBe(false);
  clock.pass(1000);
  stream.renewIfMissing();
  clock.pass(3000);
  await until(() => live.length === 5);
  expect(lines).toHaveLength(3);
  stream.close();
});

test("a stream that is over is not renewed", async () => {
  const { clock, lines, live, until, stream } = setup();
  await until(() => live.length === 1);
  stream.renew();
  await until(() => live.length === 3);
  clock.pass(1000);
  stream.renew();
  stream.renewIfMissing();
  stream.close();
  clock.pass(60_000);
  stream.renew();
  stream.renewIfMissing();
  clock.pass(60_000);
  expect(lines).toHaveLength(2);
});

test("an answer that does not come within ten seconds never comes", async () => {
  let asked = 0;
  const { clock, live, until, stream } = setup((request) => {
    asked += 1;
    return asked > 1 ? null : neverAnswering(request);
  });
  clock.pass(10_000);
  await until(() => live.at(-1) === false);
  clock.pass(2000);
  await until(() => live.at(-1) === true);
  stream.close();
});
