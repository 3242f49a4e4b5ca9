/** A column beside a longer one: it stays on the screen, and one that is taller than the screen stays with its end. */
import { type RefObject, useEffect } from 'react';

const MARGIN_PX = 16;

export function useSticky(column: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = column;
    if (current === null) return;
    const place = (): void => {
      const top = Math.min(MARGIN_PX, window.innerHeight - current.offsetHeight - MARGIN_PX);
      current.style.top = `${top}px`;
    };
    const observer = new ResizeObserver(place);
    observer.observe(current);
    window.addEventListener('resize', place);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', place);
    };
  }, [column]);
}
