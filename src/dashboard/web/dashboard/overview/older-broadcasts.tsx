/** Broadcasts older than those in the feed, loaded in pages on demand. */
import { type JSX, type ReactNode, useEffect, useState } from 'react';
import { defined } from '../../../../lib/objects.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { Loading } from '../../ui/card.js';
import { messageOf } from '../client/api.js';
import { useSession } from '../client/session.js';

interface Page {
  readonly broadcasts: readonly BroadcastView[];
  readonly next?: string;
}

interface Read {
  readonly views: readonly BroadcastView[];
  /** `undefined` before the first page. */
  readonly next: string | undefined;
  readonly done: boolean;
}

const NOTHING: Read = { views: [], next: undefined, done: false };

/** `isHeld`: the broadcast is in the feed, hence already listed. */
export function OlderBroadcasts(props: {
  readonly search: string;
  readonly isHeld: (id: string) => boolean;
  readonly children: (views: readonly BroadcastView[]) => ReactNode;
}): JSX.Element {
  const { search, isHeld, children } = props;
  const { api } = useSession();
  const [read, setRead] = useState(NOTHING);
  const [busy, setBusy] = useState<AbortController>();
  const [fault, setFault] = useState('');
  // A new search starts over.
  useEffect(() => {
    setRead(NOTHING);
    setFault('');
    return () =>
      setBusy((running) => {
        running?.abort();
        return undefined;
      });
  }, [search]);

  const more = async (): Promise<void> => {
    const running = new AbortController();
    setBusy(running);
    setFault('');
    try {
      setRead(await nextPage(read, running.signal));
    } catch (error) {
      if (!running.signal.aborted) setFault(messageOf(error));
    }
    setBusy((now) => (now === running ? undefined : now));
  };

  /** Reads pages until one has a broadcast that is not listed yet. */
  const nextPage = async (from: Read, signal: AbortSignal): Promise<Read> => {
    let { views, next } = from;
    for (;;) {
      const params = { search, ...defined({ after: next }) };
      const page: Page = await api.get('/dashboard/data/broadcasts', params, signal);
      const found = page.broadcasts.filter(({ id }) => !isHeld(id));
      views = [...views, ...found];
      next = page.next;
      if (next === undefined) return { views, next, done: true };
      if (found.length > 0) return { views, next, done: false };
    }
  };

  const shown = read.views.filter(({ id }) => !isHeld(id));
  return (
    <>
      {shown.length === 0 ? null : children(shown)}
      <div className="mt-5 text-center">
        {fault === '' ? null : <Fault message={fault} retry={() => void more()} />}
        {busy !== undefined ? (
          <Loading what="Loading older broadcasts" />
        ) : read.done ? (
          <span className="text-sm text-muted" role="status">
            {shown.length === 0 ? 'No older broadcasts.' : 'End of the list.'}
          </span>
        ) : fault === '' ? (
          <Button onClick={() => void more()}>
            {search === '' ? 'Show older broadcasts' : 'Search older broadcasts'}
          </Button>
        ) : null}
      </div>
    </>
  );
}
