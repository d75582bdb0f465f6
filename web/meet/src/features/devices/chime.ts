/** How long a chime may take, in milliseconds. */
const patience = 5000;

/**
 * Plays two soft notes, which are generated so that no sound file has to be fetched. Gives up when
 * nothing plays: without a sound device Firefox waits for ever. Never fails, because nobody can do
 * anything about a browser that refuses to play.
 */
export async function playChime(speaker: string, loudness = 0.25): Promise<void> {
  try {
    await play(speaker, loudness);
  } catch {
    // The browser refuses to play.
  }
}

async function play(speaker: string, loudness: number): Promise<void> {
  const context = new AudioContext();
  const over = new Promise((resolve) => setTimeout(resolve, patience));
  try {
    await Promise.race([playNotes(context, speaker, loudness), over]);
  } finally {
    await context.close();
  }
}

async function playNotes(context: AudioContext, speaker: string, loudness: number): Promise<void> {
  await chooseSink(context, speaker);
  await context.resume();
  const start = context.currentTime;
  playNote(context, 523.25, start, loudness); // C5
  const last = playNote(context, 659.25, start + 0.18, loudness); // E5
  await new Promise((resolve) => {
    last.addEventListener("ended", resolve, { once: true });
  });
}

async function chooseSink(context: AudioContext, speaker: string): Promise<void> {
  const target = context as AudioContext & { setSinkId?: (id: string) => Promise<void> };
  if (speaker === "" || speaker === "default" || !target.setSinkId) return;
  try {
    await target.setSinkId(speaker);
  } catch {
    // The speaker was unplugged meanwhile, so the default one plays.
  }
}

function playNote(
  context: AudioContext,
  frequency: number,
  at: number,
  loudness: number,
): OscillatorNode {
  const length = 0.5;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(loudness, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, at + length);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + length);
  return tone;
}
