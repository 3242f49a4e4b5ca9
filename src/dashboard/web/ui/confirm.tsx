/** Asks before something that cannot be undone. Esc answers no. */
import { AlertDialog } from 'radix-ui';
import type { JSX } from 'react';
import { buttonClass } from './classes.js';
import { useReturnFocus } from './return-focus.js';

export interface Confirmation {
  readonly question: string;
  /** Consequence, where the question does not say it. */
  readonly detail?: string;
  /** Label of the button that acts. */
  readonly yes: string;
  /** Label of the button that does not. */
  readonly no: string;
}

export function Confirm(props: Confirmation & { open: boolean; onClose: () => void; onYes: () => void }): JSX.Element {
  const { question, detail, yes, no, open, onClose, onYes } = props;
  const focus = useReturnFocus();
  return (
    <AlertDialog.Root open={open} onOpenChange={(now) => (now ? undefined : onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-20 bg-black opacity-60" />
        <AlertDialog.Content
          {...focus}
          {...(detail === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed inset-x-4 top-[20vh] z-30 mx-auto max-w-md rounded-lg border border-line bg-card p-6"
        >
          <AlertDialog.Title className="text-lg font-semibold">{question}</AlertDialog.Title>
          {detail === undefined ? null : (
            <AlertDialog.Description className="mt-2 text-muted">{detail}</AlertDialog.Description>
          )}
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel className={buttonClass()}>{no}</AlertDialog.Cancel>
            <AlertDialog.Action className={buttonClass('danger')} onClick={onYes}>
              {yes}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
