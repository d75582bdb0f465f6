import { type Observable, Value } from "./observable.js";
import type { You } from "./wire.js";

/** What hosts did to this person, or ask of them. */
export type NoticeKind =
  | "muted_by_host"
  | "asked_to_unmute"
  | "camera_stopped"
  | "made_cohost"
  | "cohost_ended"
  | "on_stage"
  | "back_in_audience"
  | "sharing_ended";

export interface Notice {
  readonly id: number;
  readonly kind: NoticeKind;
}

/** A notice replaces an older one on the same subject. */
const subjects: Record<NoticeKind, string> = {
  muted_by_host: "microphone",
  asked_to_unmute: "microphone",
  camera_stopped: "camera",
  made_cohost: "cohost",
  cohost_ended: "cohost",
  on_stage: "stage",
  back_in_audience: "stage",
  sharing_ended: "screen",
};

/**
 * What was done to a person between two of their states. The first state gives no notice: it is how
 * they came in, or came back.
 */
export function newsBetween(
  before: You | null,
  now: You,
  isSharing: boolean,
): readonly NoticeKind[] {
  if (before === null) return [];
  const news: NoticeKind[] = [];
  if (isLater(now.muted_at, before.muted_at)) news.push("muted_by_host");
  if (isLater(now.asked_to_unmute_at, before.asked_to_unmute_at)) news.push("asked_to_unmute");
  if (isLater(now.camera_stopped_at, before.camera_stopped_at)) news.push("camera_stopped");
  if (now.cohost !== before.cohost) news.push(now.cohost ? "made_cohost" : "cohost_ended");
  if (now.on_stage !== before.on_stage) news.push(now.on_stage ? "on_stage" : "back_in_audience");
  // The notice about leaving the stage explains already why their screen is no longer shared.
  const isOffStage = news.includes("back_in_audience");
  if (isSharing && !now.may.screen_share && !isOffStage) news.push("sharing_ended");
  return news;
}

/** Whether something happened again, by the times at which it last did. */
function isLater(now: string | null, before: string | null): boolean {
  return now !== null && now !== before;
}

/** The notices that the person has not dismissed yet. */
export class Notices {
  readonly #list = new Value<readonly Notice[]>([]);
  #count = 0;

  get list(): Observable<readonly Notice[]> {
    return this.#list;
  }

  /** Adds what is new, except a question to unmute that is answered or may not be answered. */
  take(news: readonly NoticeKind[], { may }: Pick<You, "may">, isHeard: boolean): void {
    const isQuestion = (kind: NoticeKind) => kind === "asked_to_unmute";
    for (const kind of news) {
      if (!isQuestion(kind) || !isHeard) this.add(kind);
    }
    const left = this.#list.get().filter(({ kind }) => may.microphone || !isQuestion(kind));
    if (left.length < this.#list.get().length) this.#list.set(left);
  }

  add(kind: NoticeKind): void {
    this.#count += 1;
    const notice: Notice = { id: this.#count, kind };
    this.#list.update((notices) => [
      ...notices.filter((older) => subjects[older.kind] !== subjects[kind]),
      notice,
    ]);
  }

  dismiss(notice: Notice): void {
    this.#list.update((notices) => notices.filter(({ id }) => id !== notice.id));
  }
}
