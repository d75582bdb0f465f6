/** The codecs and the file format of a recording. */
export interface RecordingFormat {
  readonly container: "mp4" | "webm";
  readonly video: VideoCodecName;
  readonly audio: AudioCodecName;
}

export type VideoCodecName = "avc" | "vp9" | "vp8";
export type AudioCodecName = "aac" | "opus";

/** Why this browser cannot record: it lacks an encoder, or it is on a phone or tablet. */
export type RecordingObstacle = "browser" | "mobile";

/** The size of a recording's picture. */
export const pictureSize = { width: 1280, height: 720 } as const;
export const videoBitrate = 2_000_000;
export const audioBitrate = 96_000;
export const sampleRate = 48_000;

/** H.264 High, or VP9 and VP8, at a level for 720 lines at 30 frames a second. */
const videoCodecs: Record<VideoCodecName, string> = {
  avc: "avc1.64001f",
  vp9: "vp09.00.31.08",
  vp8: "vp8",
};
const audioCodecs: Record<AudioCodecName, string> = { aac: "mp4a.40.2", opus: "opus" };

/** Which encoders a browser has. */
export interface Encoders {
  readonly video: readonly VideoCodecName[];
  readonly audio: readonly AudioCodecName[];
}

/**
 * The most widely supported format that these encoders can make. MP4 with H.264 plays nearly
 * everywhere; its sound is Opus if the browser has no AAC encoder.
 */
export function chooseFormat({ video, audio }: Encoders): RecordingFormat | null {
  const sound = audio.includes("aac") ? "aac" : audio[0];
  if (!sound) return null;
  if (video.includes("avc")) return { container: "mp4", video: "avc", audio: sound };
  const picture = video.includes("vp9") ? "vp9" : video[0];
  if (!picture || !audio.includes("opus")) return null;
  return { container: "webm", video: picture, audio: "opus" };
}

/** The media type that the service stores. */
export function mimeTypeOf({ container }: RecordingFormat): "video/mp4" | "video/webm" {
  return `video/${container}`;
}

export type Support =
  | { readonly format: RecordingFormat; readonly obstacle: null }
  | { readonly format: null; readonly obstacle: RecordingObstacle };

/** What this browser can do; asks its encoders. */
export async function recordingSupport(): Promise<Support> {
  const obstacle = obviousObstacle();
  if (obstacle) return { format: null, obstacle };
  const format = chooseFormat(await encodersHere());
  return format ? { format, obstacle: null } : { format: null, obstacle: "browser" };
}

/** What is known without asking the encoders, so that a button can show it at once. */
export function obviousObstacle(): RecordingObstacle | null {
  if (isMobile()) return "mobile";
  const isComplete =
    typeof VideoEncoder === "function" &&
    typeof AudioEncoder === "function" &&
    typeof OffscreenCanvas === "function" &&
    typeof AudioWorkletNode === "function" &&
    typeof Worker === "function";
  return isComplete ? null : "browser";
}

/** A phone stops hidden pages, and recording would drain its battery. */
function isMobile(): boolean {
  const { userAgentData, maxTouchPoints, userAgent } = navigator as Navigator & {
    readonly userAgentData?: { readonly mobile: boolean };
  };
  if (userAgentData) return userAgentData.mobile;
  // An iPad claims to be a Mac, but a Mac has no touch screen.
  const isTablet = userAgent.includes("Macintosh") && maxTouchPoints > 1;
  return isTablet || /Android|iPhone|iPad|Mobi/.test(userAgent);
}

async function encodersHere(): Promise<Encoders> {
  const video: VideoCodecName[] = [];
  const audio: AudioCodecName[] = [];
  for (const [name, codec] of Object.entries(videoCodecs)) {
    const config = { codec, ...pictureSize, bitrate: videoBitrate, framerate: 24 };
    if (await supports(VideoEncoder, config)) video.push(name as VideoCodecName);
  }
  for (const [name, codec] of Object.entries(audioCodecs)) {
    const config = { codec, sampleRate, numberOfChannels: 2, bitrate: audioBitrate };
    if (await supports(AudioEncoder, config)) audio.push(name as AudioCodecName);
  }
  return { video, audio };
}

async function supports<T>(
  encoder: { isConfigSupported: (config: T) => Promise<{ supported?: boolean }> },
  config: T,
): Promise<boolean> {
  try {
    return (await encoder.isConfigSupported(config)).supported === true;
  } catch {
    return false; // the browser does not know the codec
  }
}

/** The browser cannot record. */
export class RecordingUnsupported extends Error {
  readonly obstacle: RecordingObstacle;

  constructor(obstacle: RecordingObstacle) {
    super("This browser cannot record.");
    this.name = "RecordingUnsupported";
    this.obstacle = obstacle;
  }
}
