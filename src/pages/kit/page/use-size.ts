import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The current width and height of an element in CSS pixels; 0 before it exists. */
export function useSize(element: RefObject<HTMLElement | null>): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const observed = useRef<HTMLElement | null>(null);
  const observer = useRef<ResizeObserver | undefined>(undefined);
  // Runs after each drawing, because the element may appear late or be replaced.
  useLayoutEffect(() => {
    const { current } = element;
    if (current === observed.current) return;
    observer.current?.disconnect();
    observed.current = current;
    if (current === null) return;
    const read = (): void => {
      const { clientWidth: width, clientHeight: height } = current;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    read();
    observer.current = new ResizeObserver(read);
    observer.current.observe(current);
  });
  useEffect(() => () => observer.current?.disconnect(), []);
  return size;
}
