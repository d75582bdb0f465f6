import { Channels } from "../channels.js";
import { MediaLink } from "../media-link.js";
import { Service } from "../service.js";
import type { Channel } from "../talk.js";
import type { MediaToken, Seat } from "../wire.js";
import { FakeConnection } from "./fake-connection.js";
import { HandClock } from "./hand-clock.js";
import { Mailbox } from "./mailbox.js";

/** A token that names its room, with the room's passphrase. */
function token(place: string | null): MediaToken {
  return {
    server_url: "wss://meet.example.com",
    token: `token for ${place ?? "main"}`,
    e2ee_passphrase: `passphrase of ${place ?? "main"}`,
    expires_in: 600,
    breakout_id: place,
  };
}

function seatIn(place: string | null): Seat {
  return {
    identity: "guest_a.x",
    ticket: "t",
    name: "Ada",
    role: "participant",
    avatar: null,
    decision: "enter",
    redirect_url: null,
    ...token(place),
  };
}

/** What a standard meeting has to open its channels. */
function channelsIn(place: string | null, clock: HandClock): Channels {
  return new Channels({
    seat: seatIn(place),
    room: null,
    baseUrl: "https://meet.example.com",
    clock,
    createWorker: () => {
      throw new Error("A standard meeting has no groups.");
    },
    linkSecret: null,
    ahead: () => 0,
    onWorkerFailed: () => {},
    onOvertaken: () => {},
    send: () => {},
  });
}

type Answer = (response: Response) => void;

/** A link with a fake service and fake connections, and with the microphone on. */
export function fakeLink(place: string | null = null) {
  const clock = new HandClock();
  const connecting = new Mailbox<FakeConnection>();
  const asked = new Mailbox<Answer>();
  const entered = new Mailbox<Channel>();
  const over = new Mailbox<string>();
  const log: string[] = [];
  const phases: string[] = [];
  const service = new Service({
    baseUrl: "https://meet.example.com",
    clock,
    fetch: (_url, init) =>
      new Promise<Response>((resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("given up")));
        asked.put(resolve);
      }),
  });
  const link = new MediaLink({
    service,
    seat: seatIn(place),
    clock,
    openChannel: channelsIn(place, clock).open,
    onGivenUp: (given) => log.push(`give up ${given ?? "main"}`),
    newConnection: (_channel, events) => new FakeConnection(events, log, connecting),
    onPhase: (phase) => phases.push(phase),
    onEnd: (reason) => over.put(reason),
    onChange: () => {},
    onEntered: (channel) => {
      log.push(`enter ${channel.place ?? "main"}`);
      entered.put(channel);
    },
    onBack: () => log.push("back"),
    onLeft: () => log.push("left"),
    onData: () => {},
    onMuted: () => {},
    onReachable: () => {},
  });
  link.publish("microphone", true, null);
  link.start();
  const enter = async () => {
    const connection = await connecting.next();
    connection.goThrough();
    const channel = await entered.next();
    return { connection, channel };
  };
  const answer = async (to: string | null) => (await asked.next())(Response.json(token(to)));
  const refuse = async (status: number, code: string) =>
    (await asked.next())(Response.json({ error: { code, message: "" } }, { status }));
  return { clock, link, connecting, asked, entered, over, log, phases, enter, answer, refuse };
}
