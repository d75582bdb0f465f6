import { useObservable } from "@conclave/ui/use-observable";
import { useMemo } from "react";
import type { LiveMeeting } from "./live-meeting";

/** What the person may do. */
export interface Rights {
  readonly microphone: boolean;
  readonly camera: boolean;
  readonly screen_share: boolean;
  readonly reactions: boolean;
  readonly chat: boolean;
}

/** The person's own state, and the functions that change it. */
export interface Controls {
  readonly microphone: boolean;
  readonly camera: boolean;
  readonly sharing: boolean;
  readonly hand: boolean;
  readonly may: Rights;
  readonly toggleMicrophone: () => void;
  readonly toggleCamera: () => void;
  readonly toggleScreen: () => void;
  readonly toggleHand: () => void;
}

/** Assumed until the service answers: the rights that nearly everybody has. */
const usualRights: Rights = {
  microphone: true,
  camera: true,
  screen_share: true,
  reactions: true,
  chat: true,
};

/** Assumed in a webinar until the service answers: the rights of the audience. */
const audienceRights: Rights = {
  ...usualRights,
  microphone: false,
  camera: false,
  screen_share: false,
};

export function useRights(meeting: LiveMeeting): Rights {
  const you = useObservable(meeting.you);
  const isWebinar = useObservable(meeting.room)?.type === "webinar";
  return you?.may ?? (isWebinar ? audienceRights : usualRights);
}

export function useControls(meeting: LiveMeeting, onFailure: () => void): Controls {
  const microphone = useObservable(meeting.localMedia.microphone).on;
  const camera = useObservable(meeting.localMedia.camera).on;
  const sharing = useObservable(meeting.screen.capture) !== null;
  const hand = useObservable(meeting.you)?.hand_raised ?? false;
  const may = useRights(meeting);
  return useMemo(() => {
    const attempt = (doing: Promise<unknown>) => void doing.catch(onFailure);
    return {
      microphone,
      camera,
      sharing,
      hand,
      may,
      toggleMicrophone: () => {
        if (may.microphone) attempt(meeting.setMicrophone(!microphone));
      },
      toggleCamera: () => {
        if (may.camera) attempt(meeting.setCamera(!camera));
      },
      toggleScreen: () => {
        if (may.screen_share) attempt(meeting.shareScreen(!sharing));
      },
      toggleHand: () => attempt(meeting.raiseHand(!hand)),
    };
  }, [meeting, onFailure, microphone, camera, sharing, hand, may]);
}
