/** The entry point for pages before the meeting. It loads without the media library. */
export { canEncryptMedia } from "./browser-support.js";
export { browserClock, type Clock } from "./clock.js";
export type {
  Device,
  DeviceKind,
  DeviceList,
  DeviceProblem,
} from "./devices.js";
export { Entrance, type EntranceOptions, leadsToAudience } from "./entrance.js";
export { type LevelMeter, meterOf } from "./level-meter.js";
export {
  deviceLabel,
  LocalMedia,
  type LocalMediaOptions,
  type LocalSource,
  type SourceKind,
} from "./local-media.js";
export { type Observable, Value } from "./observable.js";
export { browserStore, forgetful, type KeyValueStore } from "./preferences.js";
export { SeatStore, type SourcesOn } from "./seat-store.js";
export { Service, type ServiceOptions } from "./service.js";
export { isTemporary, ServiceError } from "./service-error.js";
export { newLinkSecret, readLinkSecret, withLinkSecret } from "./strict/link-fragment.js";
export { WaitingRoom, type WaitingRoomOptions, type WaitingState } from "./waiting-room.js";
export type {
  Announcement,
  BreakoutMember,
  BreakoutPerson,
  BreakoutPlan,
  BreakoutRoom,
  BreakoutSession,
  CalendarFile,
  Knocking,
  LookUp,
  MediaToken,
  NewPoll,
  Poll,
  PollOption,
  PollResults,
  RecordingDevice,
  RecordingProtection,
  RecordingUpload,
  Rights,
  Role,
  RoomChange,
  RoomInfo,
  RoomSettings,
  RosterEntry,
  RunningMeeting,
  RunningRecording,
  Seat,
  WaitingSeat,
  You,
} from "./wire.js";
export { limits } from "./wire.js";
