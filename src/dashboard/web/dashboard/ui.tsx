/** Small parts that several pages use. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BroadcastView } from '../../view/protocol.js';
import { stateLabel } from '../shared/verdicts.js';
import { faultWords } from './api.js';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {what}
    </p>
  );
}

export function Fault({ words, retry }: { words: string; retry?: () => void }): JSX.Element {
  return (
    <div class="callout callout-fail" role="alert">
      <p>{words}</p>
      {retry === undefined ? null : (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function StatePill({ view }: { view: BroadcastView }): JSX.Element {
  const { text, tone } = stateLabel(view);
  return <span class={`state state-${tone}`}>{text}</span>;
}

export function Standing({ errors, warnings }: { errors: number; warnings: number }): JSX.Element | null {
  if (errors + warnings === 0) return null;
  return (
    <span class="standing">
      {errors > 0 ? <span class="badge badge-fail">{errors === 1 ? '1 error' : `${errors} errors`}</span> : null}
      {warnings > 0 ? (
        <span class="badge badge-warn">{warnings === 1 ? '1 warning' : `${warnings} warnings`}</span>
      ) : null}
    </span>
  );
}

/** A text with a button that copies it; a secret one is shown on demand. */
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
    <div class="copy">
      <span class="copy-label">{label}</span>
      <code class={multiline ? 'copy-text copy-multiline' : 'copy-text'}>{shown ? text : '•'.repeat(24)}</code>
      <span class="copy-buttons">
        {secret ? (
          <button
            type="button"
            class="button"
            onClick={() => setShown(!shown)}
            aria-label={`${shown ? 'Hide' : 'Show'} ${label}`}
          >
            {shown ? 'Hide' : 'Show'}
          </button>
        ) : null}
        <button type="button" class="button" onClick={copy} aria-label={`Copy ${label}`}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        <span class="hidden" role="status">
          {copied ? `${label} copied` : ''}
        </span>
      </span>
    </div>
  );
}

/** The clipboard API is absent on plain HTTP from another machine; a selection can still be copied there. */
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

/** A button that does something on the server: busy meanwhile, its refusal beside it; asks first where `sure` says what. */
export function ActionButton(props: {
  children: ComponentChildren;
  act: () => Promise<unknown>;
  sure?: string;
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
      setFault(faultWords(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="action">
      {asking ? (
        <span class="asking">
          <span>{props.sure}</span>
          <button type="button" class="button button-danger" onClick={run}>
            Yes
          </button>
          <button type="button" class="button" onClick={() => setAsking(false)}>
            No
          </button>
        </span>
      ) : (
        <button
          type="button"
          class={`button${props.kind === undefined ? '' : ` button-${props.kind}`}`}
          disabled={busy}
          onClick={() => (props.sure === undefined ? void run() : setAsking(true))}
        >
          {props.children}
        </button>
      )}
      {fault === '' ? null : (
        <span class="action-fault" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}
