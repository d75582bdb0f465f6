export { createMeeting, createMeetingFromToken } from "./create-meeting.js";
export * from "./door.js";
export { Meeting, } from "./meeting.js";
export { chatTextLimit, reactionEmoji, textLength, } from "./messages.js";
export { isOwnHost, isSpeaker, raisedHands, } from "./roster.js";
export { ScreenSource } from "./screen-capture.js";
export { arrange, holdFocus, nextFocus, noFocus } from "./speaker-focus.js";
export { pageSize, tileGap, tileGrid } from "./tile-layout.js";
//# sourceMappingURL=index.js.map