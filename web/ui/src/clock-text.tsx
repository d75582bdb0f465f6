/** A length of time in seconds as a clock shows it: 0:59, 12:05, 1:00:00. */
export function clockText(time: number): string {
  const seconds = Math.max(0, Math.floor(time));
  const two = (part: number) => String(part).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes}:${two(seconds % 60)}`;
  return `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
