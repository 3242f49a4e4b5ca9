/** The page for an OBS custom browser dock: one broadcast, about 300 pixels wide. Its link holds the token. */
import { type JSX, type ReactNode, useEffect, useState } from 'react';
import { FeedConnection } from '../shared/feed-connection.js';
import { clockTime } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { Spinner } from '../ui/card.js';
import { BroadcastPanel } from './broadcast-panel.js';
import { putOnAir } from './put-on-air.js';

interface Link {
  readonly broadcastId: string;
  readonly token: string;
}

/** `#<live-video-id>.<token>`: browsers do not send the fragment, so the token reaches no server and no log. */
function linkOf(hash: string): Link | undefined {
  const match = /^#(\d{1,20})\.(\S+)$/.exec(decodeURIComponent(hash));
  return match?.[1] === undefined || match[2] === undefined ? undefined : { broadcastId: match[1], token: match[2] };
}

/** With the token in it, since the browser inside OBS downloads nothing: it opens the address in the system's browser. */
function profileUrl({ broadcastId, token }: Link): string {
  return `/${broadcastId}/obs_profile?access_token=${encodeURIComponent(token)}`;
}

function useHash(): string {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const onChange = (): void => setHash(window.location.hash);
    window.addEventListener('hashchange', onChange);
    return () => window.removeEventListener('hashchange', onChange);
  }, []);
  return hash;
}

export function Dock(): JSX.Element {
  const hash = useHash();
  const link = linkOf(hash);
  if (link === undefined) {
    return (
      <Notice title="Incomplete link">
        <p>
          A dock link contains a broadcast ID and a token. Open the broadcast in the dashboard, press “OBS dock link”,
          and paste the whole link into OBS under Docks, Custom Browser Docks.
        </p>
      </Notice>
    );
  }
  return <LinkedDock key={hash} link={link} />;
}

function LinkedDock({ link }: { link: Link }): JSX.Element {
  const [feed] = useState(() => new FeedConnection({ token: link.token, broadcasts: [link.broadcastId], recent: 20 }));
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const connection = useValue(feed.connection);
  const state = useValue(feed.feed);
  const broadcast = state.broadcasts.get(link.broadcastId);

  if (connection.phase === 'refused') {
    return (
      <Notice title="This link has expired or was revoked">
        <p>Dock links are valid for 24 hours. Create a new one in the dashboard and paste it into OBS.</p>
      </Notice>
    );
  }
  if (connection.phase === 'failed') {
    return (
      <Notice title="The server rejected this link">
        <p>{connection.reason || 'Create a new dock link in the dashboard.'}</p>
      </Notice>
    );
  }
  if (state.missing.has(link.broadcastId)) {
    return (
      <Notice title="Broadcast not found">
        <p>It was deleted, or the link is for another broadcast. Create a new dock link in the dashboard.</p>
      </Notice>
    );
  }
  return (
    <div>
      {connection.phase === 'reconnecting' ? (
        <p
          className="sticky top-0 z-10 flex items-center gap-2 border-b border-warn bg-warn-soft px-2.5 py-2 text-sm font-semibold text-warn"
          role="status"
        >
          <Spinner />
          Reconnecting. Last update {clockTime(connection.heardMs)}.
        </p>
      ) : null}
      {broadcast?.view === undefined ? (
        <Notice title="Connecting" busy>
          <p>Connecting to the server.</p>
        </Notice>
      ) : (
        <BroadcastPanel
          broadcast={broadcast}
          view={broadcast.view}
          stale={connection.phase !== 'live'}
          profileUrl={state.maySetUpEncoder ? profileUrl(link) : undefined}
          putOnAir={state.mayPutOnAir ? (id) => putOnAir(id, link.token) : undefined}
        />
      )}
    </div>
  );
}

/** Shown in place of the page: what is wrong and what to do. */
function Notice(props: { title: string; busy?: boolean; children: ReactNode }): JSX.Element {
  return (
    <main className="px-4 py-6 text-center text-muted" role="status">
      {props.busy ? <Spinner /> : null}
      <h1 className="my-2 text-base text-ink">{props.title}</h1>
      {props.children}
    </main>
  );
}
