/** Measures how loud a microphone is right now. It records nothing. */
export interface LevelMeter {
  /** 0 is silence, 1 is as loud as it gets. */
  readonly read: () => number;
  readonly stop: () => void;
}

/** Hearing is logarithmic, so the meter is too: -60 dB is empty, -6 dB is full. */
const quietest = -60;
const loudest = -6;

function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const rms = Math.sqrt(sum / Math.max(samples.length, 1));
  if (rms === 0) return 0;
  const decibels = 20 * Math.log10(rms);
  return Math.min(1, Math.max(0, (decibels - quietest) / (loudest - quietest)));
}

/** Throws where the browser cannot read the track, as Firefox cannot at some sample rates. */
export function meterOf(track: MediaStreamTrack): LevelMeter {
  const context = new AudioContext();
  try {
    return meterIn(context, track);
  } catch (error) {
    void context.close().catch(() => {});
    throw error;
  }
}

function meterIn(context: AudioContext, track: MediaStreamTrack): LevelMeter {
  const source = context.createMediaStreamSource(new MediaStream([track]));
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    read: () => {
      // Browsers suspend a context that was made before the first click, so ask again each time.
      if (context.state === "suspended") void context.resume().catch(() => {});
      analyser.getFloatTimeDomainData(samples);
      return levelOf(samples);
    },
    stop: () => {
      source.disconnect();
      void context.close().catch(() => {});
    },
  };
}
