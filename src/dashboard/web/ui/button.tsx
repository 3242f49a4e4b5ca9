/** Buttons. One that calls the server does nothing meanwhile, keeps the focus, and shows the error beside it. */
import type { ButtonHTMLAttributes, JSX, ReactNode, Ref } from 'react';
import { useRef, useState } from 'react';
import { type ButtonKind, buttonClass, classes } from './classes.js';
import { Confirm, type Confirmation } from './confirm.js';
import { useFocusAfter } from './return-focus.js';

export function Button(
  props: ButtonHTMLAttributes<HTMLButtonElement> & { kind?: ButtonKind; ref?: Ref<HTMLButtonElement> },
): JSX.Element {
  const { kind, className, type = 'button', ...rest } = props;
  return <button {...rest} type={type} className={classes(buttonClass(kind), className)} />;
}

/** `messageOf`: what to show of an error; it throws what is a fault of the page itself. */
export function ActionButton(props: {
  children: ReactNode;
  act: () => Promise<unknown>;
  messageOf: (error: unknown) => string;
  confirm?: Confirmation;
  kind?: ButtonKind;
  onDone?: () => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [fault, setFault] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button);
  const press = (): void => {
    if (busy) return;
    if (props.confirm === undefined) void run();
    else setAsking(true);
  };
  const run = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    setFault('');
    try {
      await props.act();
      props.onDone?.();
    } catch (error) {
      setFault(props.messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button
        ref={button}
        {...(props.kind === undefined ? {} : { kind: props.kind })}
        // `disabled` would take the focus away.
        aria-disabled={busy}
        onClick={press}
      >
        {props.children}
      </Button>
      {props.confirm === undefined ? null : (
        <Confirm {...props.confirm} open={asking} onClose={() => setAsking(false)} onYes={() => void run()} />
      )}
      {fault === '' ? null : (
        <span className="text-sm text-fail" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}
