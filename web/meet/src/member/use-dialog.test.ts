import { useDialog } from "@conclave/ui/use-dialog";
import { createElement } from "react";
import { expect, test } from "vitest";
import { live } from "../../dev/live-page";

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test("a dialog that closes late leaves the one that was opened after it", patient, async () => {
  const holder: { dialog?: ReturnType<typeof useDialog<{ name: string }>> } = {};
  const Page = () => {
    holder.dialog = useDialog<{ name: string }>();
    return null;
  };
  const change = await live(createElement(Page));
  const opened = () => holder.dialog?.open?.name ?? null;
  await change(() => holder.dialog?.show({ name: "first" }));
  const closeFirst = holder.dialog?.close;
  await change(() => closeFirst?.());
  expect(opened()).toBeNull();
  await change(() => holder.dialog?.show({ name: "second" }));
  await change(() => closeFirst?.());
  expect(opened()).toBe("second");
  await change(() => holder.dialog?.close());
  expect(opened()).toBeNull();

  // The same dialog may be opened again, about the same thing.
  const person = { name: "Ada" };
  await change(() => holder.dialog?.show(person));
  const closeEarlier = holder.dialog?.close;
  await change(() => closeEarlier?.());
  await change(() => holder.dialog?.show(person));
  await change(() => closeEarlier?.());
  expect(opened()).toBe("Ada");
});
