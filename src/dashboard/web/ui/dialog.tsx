/** A form in a dialog. Esc and “Cancel” leave it. */
import { Dialog } from 'radix-ui';
import type { JSX, ReactNode } from 'react';
import { buttonClass } from './classes.js';
import { useReturnFocus } from './return-focus.js';

export function FormDialog(props: {
  title: string;
  /** Label of the button that sends the form. */
  yes: string;
  open: boolean;
  busy: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}): JSX.Element {
  const { title, yes, open, busy, onClose, onSubmit, children } = props;
  const focus = useReturnFocus();
  return (
    <Dialog.Root open={open} onOpenChange={(now) => (now ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-black opacity-60" />
        <Dialog.Content
          {...focus}
          aria-describedby={undefined}
          className="fixed inset-x-4 top-[20vh] z-30 mx-auto max-w-md rounded-lg border border-line bg-card p-6"
        >
          <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
          <form
            className="mt-4 flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              if (!busy) onSubmit();
            }}
          >
            {children}
            <div className="flex flex-wrap justify-end gap-2">
              <Dialog.Close className={buttonClass()} type="button">
                Cancel
              </Dialog.Close>
              <button type="submit" className={buttonClass('main')} aria-disabled={busy}>
                {yes}
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
