/** A text with a copy button; a secret one is masked until “Show” is pressed. */
import { Check, Copy } from 'lucide-react';
import { type JSX, useEffect, useRef, useState } from 'react';
import { Button } from './button.js';
import { classes } from './classes.js';

const SHOWN_MS = 2_000;

/** `isNarrow`: in a panel, where the label stands above the text. */
export function CopyField(props: {
  label: string;
  text: string;
  secret?: boolean;
  multiline?: boolean;
  isNarrow?: boolean;
}): JSX.Element {
  const { label, text, secret = false, multiline = false, isNarrow = false } = props;
  const [shown, setShown] = useState(!secret);
  return (
    <div
      className={classes(
        'my-2.5 grid items-center gap-x-3 gap-y-1.5',
        !isNarrow && 'md:grid-cols-[110px_minmax(0,1fr)_auto]',
      )}
    >
      <span className="text-sm text-muted">{label}</span>
      <code
        className={classes('rounded-md bg-ground px-2.5 py-1.5 font-mono text-sm', multiline && 'whitespace-pre-wrap')}
      >
        {shown ? text : '•'.repeat(24)}
      </code>
      <span className="inline-flex gap-1.5">
        {secret ? (
          <Button onClick={() => setShown(!shown)} aria-label={`${shown ? 'Hide' : 'Show'} ${label}`}>
            {shown ? 'Hide' : 'Show'}
          </Button>
        ) : null}
        <CopyButton label={label} text={text} />
      </span>
    </div>
  );
}

/** `label`: what is copied. */
export function CopyButton({ label, text }: { label: string; text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setCopied(false), SHOWN_MS);
  };
  const Icon = copied ? Check : Copy;
  return (
    <>
      <Button onClick={() => void copy()} aria-label={`Copy ${label}`}>
        <Icon size={14} aria-hidden="true" />
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <span className="sr-only" role="status">
        {copied ? `${label} copied` : ''}
      </span>
    </>
  );
}

/** The clipboard API needs a secure context; over plain HTTP the text is selected and copied instead. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
