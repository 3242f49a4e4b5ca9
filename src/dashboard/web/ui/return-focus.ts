/** Where the focus goes when what has it leaves the page. */
import { type RefObject, useLayoutEffect, useRef } from 'react';

/** For a control that may vanish by what it does: the focus stays in the smallest part of the page around it that remains. */
export function useFocusAfter(control: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = control.current;
    // React runs this before it removes the element.
    return () => {
      if (element === null || document.activeElement !== element) return;
      const around = ancestorsOf(element);
      window.setTimeout(() => {
        const remaining = around.find(({ isConnected }) => isConnected);
        if (document.activeElement !== document.body || remaining === undefined) return;
        remaining.tabIndex = -1;
        remaining.focus({ preventScroll: true });
      });
    };
  }, [control]);
}

function ancestorsOf(element: HTMLElement): readonly HTMLElement[] {
  const found: HTMLElement[] = [];
  const next = (from: HTMLElement | null | undefined) => from?.closest<HTMLElement>('section, article, main');
  for (let each = next(element); each != null; each = next(each.parentElement)) found.push(each);
  return found;
}

/** For a dialog without a trigger of its own: on its end, the focus returns to what had it. */
export function useReturnFocus() {
  const opener = useRef<HTMLElement | null>(null);
  return {
    onOpenAutoFocus: (): void => {
      opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    },
    onCloseAutoFocus: (event: Event): void => {
      event.preventDefault();
      opener.current?.focus();
    },
  };
}
