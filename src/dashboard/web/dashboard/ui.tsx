/** Small components shared by several pages. */
import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import type { BroadcastView } from '../../view/protocol.js';
import { stateLabel } from '../shared/verdicts.js';
import { messageOf } from './api.js';

export function Empty({ title, children }: { title: string; children?: ReactNode }): JSX.Element {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }): JSX.Element {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {what}
    </p>
  );
}

export function Fault({ message, retry }: { message: string; retry?: () => void }): JSX.Element {
  return (
    <div className="callout callout-fail" role="alert">
      <p>{message}</p>
      {retry === undefined ? null : (
        <button type="button" className="button" onClick={retry}>
          Retry
        </button>
      )}
    </div>
  );
}

export function StatePill({ view }: { view: BroadcastView }): JSX.Element {
  const { text, tone } = stateLabel(view);
  return <span className={`state state-${tone}`}>{text}</span>;
}

export function OpenBadges({ errors, warnings }: { errors: number; warnings: number }): JSX.Element | null {
  if (errors + warnings === 0) return null;
  return (
    <span className="standing">
      {errors > 0 ? <span className="badge badge-fail">{errors === 1 ? '1 error' : `${errors} errors`}</span> : null}
      {warnings > 0 ? (
        <span className="badge badge-warn">{warnings === 1 ? '1 warning' : `${warnings} warnings`}</span>
      ) : null}
    </span>
  );
}

/** A text with a copy button; a secret one is masked until “Show” is pressed. */
export function CopyField(props: { label: string; text: string; secret?: boolean; multiline?: boolean }): JSX.Element {
  const { label, text, secret = false, multiline = false } = props;
  const [shown, setShown] = useState(!secret);
  const [copied, setCopied] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className="copy">
      <span className="copy-label">{label}</span>
      <code className={multiline ? 'copy-text copy-multiline' : 'copy-text'}>{shown ? text : '•'.repeat(24)}</code>
      <span className="copy-buttons">
        {secret ? (
          <button
            type="button"
            className="button"
            onClick={() => setShown(!shown)}
            aria-label={`${shown ? 'Hide' : 'Show'} ${label}`}
          >
            {shown ? 'Hide' : 'Show'}
          </button>
        ) : null}
        <button type="button" className="button" onClick={copy} aria-label={`Copy ${label}`}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        <span className="hidden" role="status">
          {copied ? `${label} copied` : ''}
        </span>
      </span>
    </div>
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

interface Confirmation {
  readonly question: string;
  /** Label of the button that acts. */
  readonly yes: string;
  /** Label of the button that does not. */
  readonly no: string;
}

/** A button for a server call: disabled while it runs, with its error beside it. With `confirm` it asks first. */
export function ActionButton(props: {
  children: ReactNode;
  act: () => Promise<unknown>;
  confirm?: Confirmation;
  kind?: 'main' | 'danger';
  onDone?: () => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [fault, setFault] = useState('');
  const run = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    setFault('');
    try {
      await props.act();
      props.onDone?.();
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="action">
      {asking && props.confirm !== undefined ? (
        <span className="asking">
          <span>{props.confirm.question}</span>
          <button type="button" className="button" onClick={() => setAsking(false)}>
            {props.confirm.no}
          </button>
          <button type="button" className="button button-danger" onClick={run}>
            {props.confirm.yes}
          </button>
        </span>
      ) : (
        <button
          type="button"
          className={`button${props.kind === undefined ? '' : ` button-${props.kind}`}`}
          disabled={busy}
          onClick={() => (props.confirm === undefined ? void run() : setAsking(true))}
        >
          {props.children}
        </button>
      )}
      {fault === '' ? null : (
        <span className="action-fault" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}
