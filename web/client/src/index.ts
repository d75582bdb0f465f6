export { type BreakoutRooms, mainRoom, type Place, type Whereabouts } from "./breakouts.js";
export { createMeeting, createMeetingFromToken, type TokenCredentials } from "./create-meeting.js";
export type { EncryptionState } from "./encryption-state.js";
export type { Hosting } from "./hosting.js";
export { personOf } from "./identity.js";
export type { MediaPath } from "./media-path.js";
export { Meeting } from "./meeting.js";
export type { MeetingOptions } from "./meeting-options.js";
export {
  type ChatMessage,
  chatTextLimit,
  type Reaction,
  type ReactionEmoji,
  reactionEmoji,
  textLength,
} from "./messages.js";
export type { Notice, NoticeKind } from "./notices.js";
export type { EndReason, Phase } from "./phase.js";
export { type MeetingPolls, pollLimits } from "./polls.js";
export * from "./pre-join.js";
export type { MeetingRecordings } from "./recordings.js";
export {
  isOwnHost,
  isSpeaker,
  type MediaPerson,
  type Person,
  type Protection,
  type Quality,
  raisedHands,
  spotlit,
  type VideoView,
} from "./roster.js";
export { ScreenBlocked, type ScreenCapture, ScreenSource } from "./screen-capture.js";
export { arrange, type Focus, holdFocus, nextFocus, noFocus } from "./speaker-focus.js";
export { type Compared, Comparing, fingerprintKey } from "./strict/comparing.js";
export type { GroupMember, GroupState, GroupTrouble } from "./strict/group-state.js";
export type { GroupView } from "./strict/group-view.js";
export type { VerificationCode, VerificationEmoji } from "./strict/verification.js";
export { type Area, pageSize, type TileGrid, tileGap, tileGrid } from "./tile-layout.js";
