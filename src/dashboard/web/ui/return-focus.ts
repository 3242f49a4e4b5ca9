/** For a dialog without a trigger of its own: on its end, the focus returns to what had it. */
import { useRef } from 'react';

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
