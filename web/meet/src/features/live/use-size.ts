import type { Area } from "@conclave/client";
import { useCallback, useState } from "react";

/** The size of an element, updated as it changes. */
export function useSize(): [Area, (element: HTMLElement | null) => (() => void) | undefined] {
  const [size, setSize] = useState<Area>({ width: 0, height: 0 });
  const observe = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [size, observe];
}
