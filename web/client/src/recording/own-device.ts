import { ServiceError } from "../service-error.js";
import { forgetOwnDevice, type OwnDevice, openOwnDevice, rememberDeviceId } from "./device-keys.js";
import { deviceName } from "./device-name.js";
import { publicKeyText, unwrapRecordingKey, wrapRecordingKey } from "./key-wrap.js";
import type { MemberDevice, MemberService, ShutOutDevice } from "./member-service.js";
import { decryptPart, partKey } from "./part-format.js";

/** Keeps the keys of this browser's device, and its name. */
export interface DeviceStore {
  readonly name: () => string;
  readonly open: (account: string) => Promise<OwnDevice>;
  readonly remember: (account: string, id: string) => Promise<void>;
  readonly forget: (account: string) => Promise<void>;
}

const browserDevices: DeviceStore = {
  name: () => deviceName(navigator.userAgent),
  open: openOwnDevice,
  remember: rememberDeviceId,
  forget: forgetOwnDevice,
};

/** The state of this browser's device. */
export type OwnDeviceState =
  | { readonly kind: "registered"; readonly id: string; readonly keys: CryptoKeyPair }
  /** It was revoked. It comes back only when the person asks for that. */
  | { readonly kind: "revoked" };

/** The result of opening a recording's key on this device. */
export type OpenedKey =
  | { readonly kind: "open"; readonly key: Uint8Array<ArrayBuffer> }
  /** The key was not wrapped for this device yet. */
  | { readonly kind: "shut-out" }
  | { readonly kind: "revoked" };

/** This browser as one of the devices of a signed-in member. */
export class MemberBrowser {
  readonly #service: MemberService;
  readonly #account: string;
  readonly #store: DeviceStore;

  /** `account` is the member's e-mail address: it separates the people who use this browser. */
  constructor(service: MemberService, account: string, store: DeviceStore = browserDevices) {
    this.#service = service;
    this.#account = account;
    this.#store = store;
  }

  /**
   * Registers this browser if it is not registered, unless it was revoked. Refused with
   * `sign_in_required` if somebody else is signed in: their account must not list this device.
   */
  async register(): Promise<OwnDeviceState> {
    const { keys, id } = await this.#store.open(this.#account);
    if (id !== null) {
      const isListed = (await this.#service.devices()).some((device) => device.id === id);
      if (isListed) return { kind: "registered", id, keys };
      await this.#mustBeSignedIn();
      return { kind: "revoked" };
    }
    await this.#mustBeSignedIn();
    const device = await this.#service.addDevice({
      name: this.#store.name(),
      public_key: await publicKeyText(keys),
    });
    await this.#store.remember(this.#account, device.id);
    return { kind: "registered", id: device.id, keys };
  }

  /**
   * Registers this browser, with new keys if it was revoked. Otherwise it keeps its keys: they may
   * be the only ones that open a recording. Refused as `register` is.
   */
  async registerAnew(): Promise<OwnDeviceState> {
    // Before the devices are listed, and after it in `register`, because lost keys do not come back.
    await this.#mustBeSignedIn();
    const own = await this.register();
    if (own.kind === "registered") return own;
    await this.#store.forget(this.#account);
    return this.register();
  }

  /** Another tab may have signed in as somebody else, whose devices do not include this one. */
  async #mustBeSignedIn(): Promise<void> {
    if ((await this.#service.email()) !== this.#account) {
      throw new ServiceError(401, "sign_in_required", "Somebody else is signed in.", null);
    }
  }

  /**
   * The devices of the member, and which of them is this browser. Refused with `sign_in_required`
   * if this browser is not one of them, and somebody else is signed in.
   */
  async devices(): Promise<{ readonly all: readonly MemberDevice[]; readonly own: string | null }> {
    // If this browser stores no keys, or there are too many devices, list the others anyway.
    const own = await this.register().catch(() => null);
    if (own?.kind !== "registered") await this.#mustBeSignedIn();
    const all = await this.#service.devices();
    return { all, own: own?.kind === "registered" ? own.id : null };
  }

  /** The key of an end_to_end recording, if it was wrapped for this device. */
  async openKey(recordingId: string): Promise<OpenedKey> {
    const own = await this.register();
    if (own.kind === "revoked") return own;
    const wrapped = await this.#service.wrappedKey(recordingId, own.id);
    if (wrapped === null) return { kind: "shut-out" };
    const key = await unwrapRecordingKey(wrapped, recordingId, own.id, own.keys).catch(() => null);
    if (key !== null && (await this.#fits(recordingId, key))) return { kind: "open", key };
    // The wrapped key is wrong. Once it is deleted, another device can wrap the right one.
    await this.#service.dropWrap(recordingId, own.id);
    return { kind: "shut-out" };
  }

  /**
   * Whether this is the key of the recording. One piece that it opens proves that. If it does not
   * open a single piece, that piece may be damaged.
   */
  async #fits(recordingId: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const key = await partKey(bytes).catch(() => null);
    if (key === null) return false;
    let unopened = 0;
    for (const piece of ["index", 0, 1] as const) {
      const sealed = await this.#service.piece(recordingId, piece, new AbortController().signal);
      if (sealed === null) continue;
      const plain = await decryptPart(key, recordingId, piece, sealed).catch(() => null);
      if (plain !== null) return true;
      unopened += 1;
      if (unopened === 2) return false;
    }
    return true;
  }
}

/** Wraps a recording's key for other devices. Skips devices without a valid public key. */
export async function letIn(
  service: MemberService,
  recordingId: string,
  key: Uint8Array<ArrayBuffer>,
  devices: readonly ShutOutDevice[],
): Promise<void> {
  const wrapping = devices.map(async (device) => ({
    device_id: device.id,
    ...(await wrapRecordingKey(key, recordingId, device)),
  }));
  const wraps = (await Promise.allSettled(wrapping)).flatMap((one) =>
    one.status === "fulfilled" ? [one.value] : [],
  );
  await service.addWraps(recordingId, wraps);
}
