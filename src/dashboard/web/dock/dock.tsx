/** The page for OBS's custom browser dock: one broadcast, about 300 pixels wide, opened by a link that holds its token. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { FeedConnection } from '../shared/feed-connection.js';
import { clockTime } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { BroadcastPanel } from './broadcast-panel.js';
import { Notice } from './notice.js';

interface Link {
  readonly broadcastId: string;
  readonly token: string;
}

/** `#<live-video-id>.<token>`: a fragment stays in the browser, so no server and no log sees the token. */
function linkOf(hash: string): Link | undefined {
  const match = /^#(\d{1,20})\.(\S+)$/.exec(decodeURIComponent(hash));
  return match?.[1] === undefined || match[2] === undefined ? undefined : { broadcastId: match[1], token: match[2] };
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
      <Notice title="This link is not complete">
        <p>
          A dock link names a broadcast and holds a token. Open the broadcast in the dashboard, choose “OBS dock link”,
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
      <Notice title="This link no longer works">
        <p>Dock links last 24 hours and can be revoked. Make a new one in the dashboard and put it into this dock.</p>
      </Notice>
    );
  }
  if (connection.phase === 'failed') {
    return (
      <Notice title="The server does not take this link">
        <p>{connection.reason || 'Make a new dock link in the dashboard.'}</p>
      </Notice>
    );
  }
  if (state.missing.has(link.broadcastId)) {
    return (
      <Notice title="This broadcast is not there">
        <p>It was deleted, or the link is for another broadcast. Make a new dock link in the dashboard.</p>
      </Notice>
    );
  }
  return (
    <div class="dock">
      {connection.phase === 'reconnecting' ? (
        <p class="reconnecting" role="status">
          <span class="spinner" aria-hidden="true" />
          Reconnecting. Shown as of {clockTime(connection.heardMs)}.
        </p>
      ) : null}
      {broadcast?.view === undefined ? (
        <Notice title="Connecting" busy>
          <p>Looking for the server that made this link.</p>
        </Notice>
      ) : (
        <BroadcastPanel broadcast={broadcast} view={broadcast.view} stale={connection.phase !== 'live'} />
      )}
    </div>
  );
}
