/** A button that opens a panel beside it. Escape and a press elsewhere close it, and the button has the focus again. */
import { Popover } from 'radix-ui';
import { type JSX, type ReactNode, useState } from 'react';
import { buttonClass, classes } from './classes.js';

export function Panel(props: {
  /** Content of the button. */
  button: ReactNode;
  /** Name of the panel. */
  title: string;
  className?: string;
  onOpen?: () => void;
  /** Content; what leads elsewhere closes the panel. */
  children: ReactNode | ((close: () => void) => ReactNode);
}): JSX.Element {
  const { button, title, className, onOpen, children } = props;
  const [isOpen, setOpen] = useState(false);
  const change = (to: boolean): void => {
    setOpen(to);
    if (to) onOpen?.();
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={change}>
      <Popover.Trigger className={classes(buttonClass(), className)}>{button}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={title}
          align="end"
          sideOffset={6}
          collisionPadding={12}
          className="z-20 max-h-[var(--radix-popover-content-available-height)] w-[min(440px,var(--radix-popover-content-available-width))] overflow-y-auto rounded-lg border border-line bg-card p-4 shadow-lg outline-none"
        >
          {typeof children === 'function' ? children(() => setOpen(false)) : children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
