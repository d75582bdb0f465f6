/**
 * The key pair with which this browser opens an account's end_to_end recordings
 * (docs/reference/recordings.md, "Keys of end_to_end recordings"). IndexedDB stores it, and no
 * script can read the private key.
 */
import { newDeviceKeys } from "./key-wrap.js";

/** This browser as a device of an account. */
export interface OwnDevice {
  readonly keys: CryptoKeyPair;
  /** The id from the service; null until the device is registered. */
  readonly id: string | null;
}

const database = "conclave-devices";
const table = "device";

/** The device of an account, made if there is none. Rejects if the browser stores nothing. */
export async function openOwnDevice(account: string): Promise<OwnDevice> {
  const stored = await change(account, (device) => device);
  if (stored) return stored;
  const keys = await newDeviceKeys();
  // Another tab may have made a device meanwhile: the first one stays.
  const device = await change(account, (before) => before ?? { keys, id: null });
  if (!device) throw new Error("The browser did not store the keys of this device.");
  return device;
}

/** Stores the id by which the service knows the device. */
export async function rememberDeviceId(account: string, id: string): Promise<void> {
  await change(account, (device) => device && { ...device, id });
}

/** Deletes the keys. The account's next device in this browser is a new one. */
export async function forgetOwnDevice(account: string): Promise<void> {
  await change(account, () => null);
}

/** Reads an account's device and writes its new state, in one transaction. */
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
