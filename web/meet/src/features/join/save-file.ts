/** Saves a text that the page holds as a file, as if the person had followed a link to it. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun with the click; a little later Safari needs the address no more either.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
