/** Comments and likes of a broadcast as they come, with a box to write one, and moderation. */

import { Eye, EyeOff, Heart, Trash2 } from 'lucide-react';
import { type JSX, type SubmitEvent, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { duration, plural } from '../../shared/format.js';
import { Button } from '../../ui/button.js';
import { Badge, Fault } from '../../ui/callout.js';
import { Card } from '../../ui/card.js';
import { classes, FIELD, MUTED } from '../../ui/classes.js';
import { messageOf } from '../client/api.js';
import { useRows, useTotal } from '../client/rows.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

interface CommentRow {
  readonly id: string;
  readonly message?: string;
  readonly from?: { readonly name?: string };
  readonly is_hidden?: boolean;
  readonly like_count?: number;
  readonly live_broadcast_timestamp?: number;
}

/** Newest first; older ones are read in the interface. */
const SHOWN = {
  fields: 'id,message,from,is_hidden,like_count,live_broadcast_timestamp',
  order: 'reverse_chronological',
  filter: 'stream',
  limit: '50',
} as const;

/** `comments` and `reactions`: how often they have changed, by the feed. */
export function Comments(props: { view: BroadcastView; comments: number; reactions: number }): JSX.Element | null {
  const { view, comments, reactions } = props;
  const { api } = useSession();
  const { rows: found, fault, read } = useRows<CommentRow>(api, `/${view.id}/comments`, SHOWN, comments);
  const likes = useTotal(api, `/${view.id}/likes`, reactions);
  const rows = found ?? [];
  if (view.status !== 'LIVE' && rows.length === 0 && (likes === 0 || !isOver(view))) return null;
  return (
    <Card
      title="Comments"
      folds
      aside={
        <span className="inline-flex items-center gap-1.5 text-sm text-muted">
          <Heart size={14} aria-hidden="true" /> {plural(likes, 'like')}
        </span>
      }
    >
      {fault === '' ? null : <Fault message={fault} retry={() => void read()} />}
      {view.status === 'LIVE' ? <Write videoId={view.video_id} onSent={read} /> : null}
      {rows.length === 0 ? <p className={MUTED}>Comments of viewers appear here as they come.</p> : null}
      <ol className="max-h-80 divide-y divide-line overflow-y-auto" aria-label="Newest comments first">
        {rows.map((row) => (
          <Comment key={row.id} row={row} onChanged={read} />
        ))}
      </ol>
    </Card>
  );
}

/** Writes a comment by the token's owner. The focus stays in the box. */
function Write({ videoId, onSent }: { videoId: string; onSent: () => Promise<void> }): JSX.Element {
  const { api } = useSession();
  const [message, setMessage] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const send = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (busy || message.trim() === '') return;
    setBusy(true);
    setFault('');
    try {
      await api.post(`/${videoId}/comments`, { message: message.trim() });
      setMessage('');
      await onSent();
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="mb-2 flex flex-wrap gap-2" onSubmit={(event) => void send(event)}>
      <input
        className={classes(FIELD, 'min-w-0 flex-1')}
        aria-label="Write a comment"
        placeholder="Write a comment"
        dir="auto"
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      <Button type="submit" aria-disabled={busy}>
        Send
      </Button>
      {fault === '' ? null : (
        <p className="basis-full text-sm text-fail" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

function Comment({ row, onChanged }: { row: CommentRow; onChanged: () => Promise<void> }): JSX.Element {
  const { api } = useSession();
  const { is_hidden: hidden = false } = row;
  const name = row.from?.name ?? 'Viewer';
  const Icon = hidden ? Eye : EyeOff;
  return (
    <li className="flex items-start gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="text-sm text-muted">
          <b className="text-ink" dir="auto">
            {name}
          </b>
          {row.live_broadcast_timestamp === undefined ? '' : ` · ${duration(row.live_broadcast_timestamp * 1000)}`}
          {row.like_count ? ` · ${plural(row.like_count, 'like')}` : ''}{' '}
          {hidden ? <Badge tone="warn">Hidden</Badge> : null}
        </p>
        <p dir="auto" className={classes('whitespace-pre-line', hidden && 'text-muted line-through')}>
          {row.message}
        </p>
      </div>
      <ActionButton kind="quiet" act={() => api.post(`/${row.id}`, { is_hidden: String(!hidden) }).then(onChanged)}>
        <Icon size={15} aria-hidden="true" />
        <span className="sr-only">
          {hidden ? 'Show' : 'Hide'} the comment of {name}
        </span>
      </ActionButton>
      <ActionButton
        kind="quiet"
        confirm={{ question: `Delete the comment of ${name}?`, yes: 'Delete comment', no: 'Keep comment' }}
        act={() => api.delete(`/${row.id}`).then(onChanged)}
      >
        <Trash2 size={15} aria-hidden="true" />
        <span className="sr-only">Delete the comment of {name}</span>
      </ActionButton>
    </li>
  );
}
