/** The microphones, cameras and speakers of this machine, and which of them the person chose. */

export type DeviceKind = "microphone" | "camera" | "speaker";

export interface Device {
  readonly id: string;
  /** Empty until the person has allowed the microphone or the camera. */
  readonly label: string;
}

export interface DeviceList {
  readonly microphone: readonly Device[];
  readonly camera: readonly Device[];
  readonly speaker: readonly Device[];
}

export const noDevices: DeviceList = { microphone: [], camera: [], speaker: [] };

/** Why a microphone or camera does not work. */
export type DeviceProblem = "blocked" | "blocked_by_system" | "missing" | "busy" | "failed";

export function groupDevices(devices: readonly MediaDeviceInfo[]): DeviceList {
  const of = (kind: MediaDeviceKind): Device[] =>
    devices
      .filter((device) => device.kind === kind && device.deviceId !== "")
      .map((device) => ({ id: device.deviceId, label: device.label }));
  return { microphone: of("audioinput"), camera: of("videoinput"), speaker: of("audiooutput") };
}

/** Sorts getUserMedia's errors into the kinds that a person can do something about. */
export function problemOf(error: unknown): DeviceProblem {
  const { name, message } = error instanceof Error ? error : { name: "", message: "" };
  switch (name) {
    case "NotAllowedError":
      // Chromium has only its words for it. Firefox finds no device then.
      return message.includes("by system") ? "blocked_by_system" : "blocked";
    case "SecurityError":
      return "blocked";
    case "NotFoundError":
    case "OverconstrainedError":
      return "missing";
    case "NotReadableError":
    case "AbortError":
      return "busy";
    default:
      return "failed";
  }
}
