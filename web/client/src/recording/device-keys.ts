/**
 * The key pair with which this browser opens end_to_end recordings for an account
 * (docs/reference/recordings.md, "Keys of end_to_end recordings"). It is kept in IndexedDB, which
 * stores the private key without ever showing it to a script.
 */
import { newDeviceKeys } from "./key-wrap.js";

/** This browser as a device of an account. */
export interface OwnDevice {
  readonly keys: CryptoKeyPair;
  /** The id that the service gave it; null until it is registered. */
  readonly id: string | null;
}

const database = "conclave-devices";
const table = "device";

/** The device of an account, made when there is none. Rejects where the browser stores nothing. */
export async function openOwnDevice(account: string): Promise<OwnDevice> {
  const stored = await change(account, (device) => device);
  if (stored) return stored;
  const keys = await newDeviceKeys();
  // Another tab may have made one meanwhile: the first one stays.
  const device = await change(account, (before) => before ?? { keys, id: null });
  if (!device) throw new Error("The browser did not store the keys of this device.");
  return device;
}

/** Remembers under which id the service knows the device. */
export async function rememberDeviceId(account: string, id: string): Promise<void> {
  await change(account, (device) => device && { ...device, id });
}

/** Throws the keys away: the next device of the account in this browser is another one. */
export async function forgetOwnDevice(account: string): Promise<void> {
  await change(account, () => null);
}

/** Reads an account's device and writes what becomes of it, with no other tab in between. */
async function change(
  account: string,
  next: (device: OwnDevice | null) => OwnDevice | null,
): Promise<OwnDevice | null> {
  const db = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(table, "readwrite");
      const store = transaction.objectStore(table);
      const reading: IDBRequest<OwnDevice | undefined> = store.get(account);
      let result: OwnDevice | null = null;
      reading.onsuccess = () => {
        const before = reading.result ?? null;
        result = next(before);
        if (result === null) store.delete(account);
        else if (result !== before) store.put(result, account);
      };
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    db.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(table);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}
