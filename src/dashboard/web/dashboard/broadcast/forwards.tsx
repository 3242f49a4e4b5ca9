/** Forwards of a broadcast: where it is passed on to, and how that goes. */
import { type JSX, type SubmitEvent, useEffect, useState } from 'react';
import { type ForwardSeen, forwardSentence } from '../../../../spec/forward-sentence.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { clockTime } from '../../shared/format.js';
import { titleOf } from '../../shared/verdicts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { Card } from '../../ui/card.js';
import { FIELD, LABEL } from '../../ui/classes.js';
import { Select } from '../../ui/select.js';
import { messageOf } from '../client/api.js';
import { useRows } from '../client/rows.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

interface ForwardRow extends ForwardSeen {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
}

const SHOWN = {
  fields: 'id,name,url,when,enabled,state,since,next_try_time,reason,held_by,sent_kbps,lag_ms,dropped_ms',
} as const;
const WHEN = { always: 'Always', healthy: 'Only while the stream is healthy' } as const;
/** Rates and delays are shown so often while it is LIVE. */
const REFRESH_MS = 2_000;

/** `version`: how often states have changed, by the feed. */
export function Forwards(props: {
  view: BroadcastView;
  version: number;
  over: boolean;
  nowMs: number;
}): JSX.Element | null {
  const { view, version, over, nowMs } = props;
  const { api } = useSession();
  const { rows, fault, read } = useRows<ForwardRow>(api, `/${view.id}/forwards`, SHOWN, version);
  const isRefreshed = view.status === 'LIVE' && rows !== undefined && rows.length > 0;
  useEffect(() => {
    if (!isRefreshed) return undefined;
    const timer = setInterval(() => void read(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isRefreshed, read]);
  // Without the scope to publish there is no answer, and nothing to see.
  if (rows === undefined || (over && rows.length === 0)) return null;
  return (
    <Card title="Forwards" folds>
      {fault === '' ? null : <Fault message={fault} retry={() => void read()} />}
      {rows.map((row) => (
        <article key={row.id} className="border-t border-line py-3">
          <h3 dir="auto">{row.name}</h3>
          <p className="break-words text-sm text-muted">{row.url}</p>
          <p data-state={row.state}>{forwardSentence(row, { nowMs, over, titleOf: titleOfCode, clockTime })}</p>
          <div className="inline-flex flex-wrap items-center gap-2">
            <ActionButton act={() => api.post(`/${row.id}`, { enabled: String(!row.enabled) }).then(read)}>
              {row.enabled ? 'Pause' : 'Resume'}
            </ActionButton>
            <ActionButton
              confirm={{ question: `Remove the forward to ${row.name}?`, yes: 'Remove forward', no: 'Keep forward' }}
              act={() => api.delete(`/${row.id}`).then(read)}
            >
              Remove
            </ActionButton>
          </div>
        </article>
      ))}
      {over ? null : (
        <details>
          <summary>New forward</summary>
          <NewForward id={view.id} onMade={() => void read()} />
        </details>
      )}
    </Card>
  );
}

const titleOfCode = (code: number): string => titleOf({ error_code: code, error_type: String(code) });

function NewForward({ id, onMade }: { id: string; onMade: () => void }): JSX.Element {
  const { api } = useSession();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [when, setWhen] = useState<keyof typeof WHEN>('always');
  const [fault, setFault] = useState('');
  const create = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setFault('');
    try {
      const named = name.trim() === '' ? {} : { name: name.trim() };
      await api.post(`/${id}/forwards`, { url: url.trim(), stream_key: key.trim(), when, ...named });
      setName('');
      setUrl('');
      setKey('');
      onMade();
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  return (
    <form className="flex max-w-xl flex-col gap-4 pt-3" onSubmit={(event) => void create(event)}>
      <label className={LABEL}>
        Name
        <input className={FIELD} dir="auto" value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
      <label className={LABEL}>
        Server URL, without the stream key
        <input
          className={FIELD}
          required
          placeholder="rtmps://live.example.com/app"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
      </label>
      <label className={LABEL}>
        Stream key
        <input
          className={FIELD}
          required
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <Select label="When to send" value={when} titles={WHEN} onChange={setWhen} />
      {fault === '' ? null : <Fault message={fault} />}
      <div className="inline-flex flex-wrap items-center gap-2">
        <Button type="submit">Add forward</Button>
      </div>
    </form>
  );
}
