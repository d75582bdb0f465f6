import { describe, expect, test } from "vitest";
import { HandClock } from "../testing/hand-clock.js";
import type { OwnDevice } from "./device-keys.js";
import { newDeviceKeys, wrapRecordingKey } from "./key-wrap.js";
import { type DeviceWrap, MemberService } from "./member-service.js";
import { type DeviceStore, letIn, MemberBrowser } from "./own-device.js";
import { encryptPart, newRecordingKey, partKey } from "./part-format.js";

const recording = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11";
const never = new AbortController().signal;

/** A fake service with devices and wrapped keys, which answers as the account protocol does. */
class PlayedService {
  readonly devices: { id: string; name: string; public_key: string }[] = [];
  readonly wraps: DeviceWrap[] = [];
  readonly asked: string[] = [];
  /** The e-mail address of the account that is signed in. */
  signedIn: string | null = "ada";
  /** Answers in place of the service, one for each request. */
  readonly failures: (() => Response)[] = [];
  piece = new Uint8Array([1, 2, 3]);
  index: Uint8Array<ArrayBuffer> | null = null;

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    const path = url.pathname.replace("/account/v1", "");
    this.asked.push(`${init?.method} ${path}`);
    const failure = this.failures.shift();
    if (failure) return failure();
    const body = init?.body ? JSON.parse(String(init.body)) : null;
    switch (`${init?.method} ${path}`) {
      case "GET /session":
        return sessionOf(this.signedIn)();
      case "GET /devices":
        return Response.json({ data: this.devices });
      case "POST /devices": {
        const known = this.devices.find(({ public_key }) => public_key === body.public_key);
        const device = known ?? { id: `device-${this.asked.length}`, ...body };
        if (!known) this.devices.push(device);
        return Response.json(device);
      }
      case `GET /recordings/${recording}/key`: {
        const device = url.searchParams.get("device_id");
        const wrap = this.wraps.find(({ device_id }) => device_id === device);
        return wrap ? Response.json(wrap) : notFound();
      }
      case `DELETE /recordings/${recording}/key`: {
        const device = url.searchParams.get("device_id");
        const own = this.wraps.findIndex(({ device_id }) => device_id === device);
        this.wraps.splice(own, 1);
        return Response.json({});
      }
      case `GET /recordings/${recording}/index`:
        return this.index ? new Response(this.index) : notFound();
      case `POST /recordings/${recording}/wraps`:
        this.wraps.push(...body.wraps);
        return Response.json({});
      case `GET /recordings/${recording}/parts/0`:
        return new Response(this.piece);
      default:
        return notFound();
    }
  };
}

const sessionOf = (email: string | null) => () => Response.json({ account: email && { email } });

const notFound = () =>
  Response.json({ error: { code: "not_found", message: "Not there." } }, { status: 404 });

/** One browser's storage. */
class PlayedStore {
  readonly #devices = new Map<string, OwnDevice>();

  readonly name = () => "Chrome on Linux";
  readonly open = async (account: string) => {
    const device = this.#devices.get(account) ?? { keys: await newDeviceKeys(), id: null };
    this.#devices.set(account, device);
    return device;
  };
  readonly remember = async (account: string, id: string) => {
    this.#devices.set(account, { ...(await this.open(account)), id });
  };
  readonly forget = async (account: string) => {
    this.#devices.delete(account);
  };
}

function setUp() {
  const played = new PlayedService();
  const clock = new HandClock();
  const baseUrl = "https://meet.example.com";
  const service = new MemberService({ baseUrl, fetch: played.fetch, clock });
  const browser = (account = "ada", store: DeviceStore = new PlayedStore()) =>
    new MemberBrowser(service, account, store);
  return { played, clock, service, browser };
}

describe("a browser", () => {
  test("registers once, and each account on it is a device of its own", async () => {
    const { played, browser } = setUp();
    const store = new PlayedStore();
    const first = await browser("ada", store).register();
    const again = await browser("ada", store).register();
    expect([first.kind, again]).toEqual(["registered", first]);
    played.signedIn = "bea";
    await browser("bea", store).register();
    expect(played.devices.length).toBe(2);
  });

  test("that was revoked stays revoked until the person adds it again", async () => {
    const { played, browser } = setUp();
    const own = browser();
    await own.register();
    const [revoked] = played.devices.splice(0);
    expect(await own.register()).toEqual({ kind: "revoked" });
    expect(await own.devices()).toEqual({ all: [], own: null });
    expect(played.devices).toEqual([]);
    expect((await own.registerAnew()).kind).toBe("registered");
    expect(played.devices[0]?.public_key).not.toBe(revoked?.public_key);
  });

  test("that only seems to be revoked, after a failure, keeps its keys when it is added again", async () => {
    const { played, browser } = setUp();
    const own = browser();
    const before = await own.register();
    const busy = () => Response.json({ error: { code: "internal_error" } }, { status: 500 });
    played.failures.push(busy);
    expect((await own.devices()).own).toBeNull();
    expect(await own.registerAnew()).toEqual(before);
    for (const signedIn of [[], [sessionOf("ada")]]) {
      played.failures.push(...signedIn, busy);
      await expect(own.registerAnew()).rejects.toThrow();
      expect(await own.register()).toEqual(before);
    }
    expect(played.devices).toHaveLength(1);
  });

  test("keeps an account's keys when another tab has signed in as somebody else", async () => {
    const { played, browser } = setUp();
    const own = browser("ada");
    const before = await own.register();
    const hers = played.devices.splice(0);
    for (const other of ["bob", null]) {
      played.signedIn = other;
      await expect(own.registerAnew()).rejects.toMatchObject({ code: "sign_in_required" });
      // It was not revoked: the list is of somebody else's devices.
      await expect(own.register()).rejects.toMatchObject({ code: "sign_in_required" });
      expect(played.devices).toEqual([]);
    }
    // The other tab signs in between two requests.
    played.failures.push(sessionOf("ada"));
    await expect(own.registerAnew()).rejects.toMatchObject({ code: "sign_in_required" });
    played.signedIn = "ada";
    played.devices.push(...hers);
    expect(await own.register()).toEqual(before);
  });

  test("that is new does not become a device of somebody else who is signed in", async () => {
    const { played, browser } = setUp();
    const own = browser("ada");
    const attempts = [
      () => own.registerAnew(),
      () => own.register(),
      () => own.devices(),
      () => own.openKey(recording),
    ];
    for (const other of ["bob", null]) {
      played.signedIn = other;
      for (const attempt of attempts) {
        await expect(attempt()).rejects.toMatchObject({ code: "sign_in_required" });
        expect(played.devices).toEqual([]);
      }
    }
    played.signedIn = "ada";
    expect((await own.registerAnew()).kind).toBe("registered");
  });

  test("that stores no keys does not show the devices of somebody else", async () => {
    const { played, browser } = setUp();
    await browser("ada").register();
    const store = new PlayedStore();
    const own = browser("ada", { ...store, open: () => Promise.reject(new Error("no storage")) });
    expect((await own.devices()).all).toHaveLength(1);
    for (const other of ["bob", null]) {
      played.signedIn = other;
      await expect(own.devices()).rejects.toMatchObject({ code: "sign_in_required" });
    }
  });

  test("that cannot be registered still lists the other devices", async () => {
    const { played, browser } = setUp();
    await browser("ada").register();
    played.failures.push(() =>
      Response.json({ error: { code: "limit_reached", message: "" } }, { status: 409 }),
    );
    const { all, own } = await browser("ada").devices();
    expect([all.length, own]).toEqual([1, null]);
  });
});

describe("the key of an end_to_end recording", () => {
  test("opens on a device it was wrapped for, and on no other", async () => {
    const { played, service, browser } = setUp();
    const key = newRecordingKey();
    const [old, late] = [browser("ada"), browser("ada")];
    await old.register();
    const [first] = played.devices;
    if (!first) throw new Error("no device");
    played.wraps.push({ device_id: first.id, ...(await wrapRecordingKey(key, recording, first)) });
    expect(await old.openKey(recording)).toEqual({ kind: "open", key });
    expect(await late.openKey(recording)).toEqual({ kind: "shut-out" });

    const second = played.devices.find(({ id }) => id !== first.id);
    await letIn(service, recording, key, [
      { id: "broken", name: "", owner: "", public_key: "AAAA" },
      { owner: "Ada", ...(second ?? first) },
    ]);
    expect(played.wraps.map(({ device_id }) => device_id)).toEqual([first.id, second?.id]);
    expect(await late.openKey(recording)).toEqual({ kind: "open", key });

    played.devices.splice(0, 1);
    expect(await old.openKey(recording)).toEqual({ kind: "revoked" });
  });

  test("that was wrapped wrongly is deleted, so that another device can wrap it again", async () => {
    const { played, browser } = setUp();
    const key = newRecordingKey();
    const own = browser();
    await own.register();
    const [device] = played.devices;
    if (!device) throw new Error("no device");
    const wrap = (some: Uint8Array<ArrayBuffer>) => wrapRecordingKey(some, recording, device);
    const sealed = await partKey(key);
    played.index = await encryptPart(sealed, recording, "index", new Uint8Array(1));
    played.piece = await encryptPart(sealed, recording, 0, new Uint8Array(1));
    const noWrap = { enc: "AAAA", ciphertext: "AAAA" };
    for (const wrong of [noWrap, await wrap(newRecordingKey()), await wrap(new Uint8Array(3))]) {
      played.wraps.push({ device_id: device.id, ...wrong });
      expect(await own.openKey(recording)).toEqual({ kind: "shut-out" });
      expect(played.wraps).toEqual([]);
    }
    played.wraps.push({ device_id: device.id, ...(await wrap(key)) });
    expect(await own.openKey(recording)).toEqual({ kind: "open", key });
    played.index[20] = (played.index[20] ?? 0) ^ 1; // damaged data does not mean a wrong key
    expect(await own.openKey(recording)).toEqual({ kind: "open", key });
  });

  test("is wrapped for a hundred devices in one request", async () => {
    const { played, service, browser } = setUp();
    await browser().register();
    const [device] = played.devices;
    if (!device) throw new Error("no device");
    const many = Array.from({ length: 101 }, (_, i) => ({ ...device, id: `d${i}`, owner: "Ada" }));
    await letIn(service, recording, newRecordingKey(), many);
    expect(played.asked.filter((asked) => asked.endsWith("/wraps")).length).toBe(2);
    expect(played.wraps.length).toBe(101);
  });
});

describe("a part", () => {
  test("is asked for again when the service was not reachable or is busy", async () => {
    const { played, clock, service } = setUp();
    played.failures.push(
      () => {
        throw new TypeError("fetch failed");
      },
      () => Response.json({}, { status: 503 }),
    );
    const fetching = service.piece(recording, 0, never);
    await clock.started(1, 1000);
    clock.pass(1000);
    await clock.started(1, 2000);
    clock.pass(2000);
    expect(await fetching).toEqual(new Uint8Array([1, 2, 3]));
  });

  test("that does not exist is null, and a refusal is not tried again", async () => {
    const { played, service } = setUp();
    expect(await service.piece(recording, 1, never)).toBeNull();
    played.failures.push(() =>
      Response.json({ error: { code: "x", message: "" } }, { status: 403 }),
    );
    await expect(service.piece(recording, 0, never)).rejects.toMatchObject({ code: "x" });
    expect(played.asked.length).toBe(2);
  });

  test("is not asked for again once the caller has given up", async () => {
    const { played, clock, service } = setUp();
    played.failures.push(() => Response.json({}, { status: 503 }));
    const end = new AbortController();
    const fetching = service.piece(recording, 0, end.signal);
    await clock.started();
    end.abort();
    await expect(fetching).rejects.toThrow();
    expect(played.asked.length).toBe(1);
  });
});
