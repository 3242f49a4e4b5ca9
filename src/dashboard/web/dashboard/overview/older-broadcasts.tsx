/** Broadcasts older than those in the feed, loaded in pages on demand. */
import { type JSX, type ReactNode, useState } from 'react';
import { defined } from '../../../../lib/objects.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { Loading } from '../../ui/card.js';
import { usePages } from '../client/pages.js';
import { useSession } from '../client/session.js';

interface Page {
  readonly broadcasts: readonly BroadcastView[];
  readonly next?: string;
}

/** `isHeld`: the broadcast is in the feed, hence already listed. */
export function OlderBroadcasts(props: {
  readonly search: string;
  readonly isHeld: (id: string) => boolean;
  readonly children: (views: readonly BroadcastView[]) => ReactNode;
}): JSX.Element {
  const { search, isHeld, children } = props;
  const { api } = useSession();
  // A new search waits until it is asked for.
  const [asked, setAsked] = useState<string>();
  const isAsked = asked === search;
  const { rows, fault, busy, more, reload } = usePages<BroadcastView>({
    key: ['older broadcasts', search],
    isAsked,
    /** Reads pages until one has a broadcast that is not listed yet. */
    read: async (after, signal) => {
      let next = after;
      for (;;) {
        const params = { search, ...defined({ after: next }) };
        const page: Page = await api.get('/dashboard/data/broadcasts', params, signal);
        next = page.next;
        const found = page.broadcasts.filter(({ id }) => !isHeld(id));
        if (found.length > 0 || next === undefined) return { rows: found, next };
      }
    },
  });
  const shown = isAsked ? (rows ?? []).filter(({ id }) => !isHeld(id)) : [];
  const isDone = isAsked && rows !== undefined && more === undefined;
  return (
    <>
      {shown.length === 0 ? null : children(shown)}
      <div className="mt-5 text-center">
        {fault === '' || !isAsked ? null : <Fault message={fault} retry={reload} />}
        {isAsked && busy ? (
          <Loading what="Loading older broadcasts" />
        ) : isDone ? (
          <span className="text-sm text-muted" role="status">
            {shown.length === 0 ? 'No older broadcasts.' : 'End of the list.'}
          </span>
        ) : (
          <Button onClick={() => (isAsked ? more?.() : setAsked(search))}>
            {search === '' ? 'Show older broadcasts' : 'Search older broadcasts'}
          </Button>
        )}
      </div>
    </>
  );
}
