/** Saves a text as a file, as if the person had followed a link to it. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The click has begun the download; Safari needs the address for a little longer.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
