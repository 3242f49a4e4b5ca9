/** For a screen in a control room: all that is on air, the worst first and large. Its link holds a token that opens nothing else. */

import { Maximize, Volume2, VolumeX } from 'lucide-react';
import { type JSX, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { isOnAir } from '../../../view/broadcast-group.js';
import type { FeedState } from '../../shared/feed-state.js';
import { clockTime, pageTitle } from '../../shared/format.js';
import { takeNewErrors } from '../../shared/new-errors.js';
import { useNow, useSelected, useValue, type Value } from '../../shared/value.js';
import { badness, worstFirst } from '../../shared/worst-first.js';
import { Button } from '../../ui/button.js';
import { Spinner } from '../../ui/card.js';
import { Logo } from '../../ui/logo.js';
import { beep } from '../client/beep.js';
import { useAnswer } from '../client/queries.js';
import { useFeedOf, useRunning } from '../client/running.js';
import { openSession, type Session, SessionContext, useSession, useStarted } from '../client/session.js';
import { WallTile } from './wall-tile.js';

const none = (): void => undefined;

/** `#<token>`: browsers do not send the fragment. */
export function Wall(): JSX.Element {
  const [token, setToken] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    const look = (): void => setToken(window.location.hash.slice(1));
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, []);
  if (token === '') {
    return (
      <Notice title="Incomplete link">
        A link to the wall ends with a token. Open the dashboard and press “Wall”, above the list of broadcasts.
      </Notice>
    );
  }
  return <LinkedWall key={token} token={token} />;
}

function LinkedWall({ token }: { token: string }): JSX.Element {
  const [session] = useState<Session>(() => openSession(token));
  useStarted(session);
  const { phase } = useValue(session.feed.connection);
  const { answer } = useAnswer<{ readonly overview: boolean }>(session.api, '/dashboard/data/viewer');
  if (phase === 'refused' || phase === 'failed') {
    return (
      <Notice title="This link has ended">
        Links to the wall are valid for 30 days, and end with the token that made them. Open the dashboard and press
        “Wall” for a new one.
      </Notice>
    );
  }
  if (answer === undefined) {
    return (
      <Notice title="Connecting">
        <Spinner />
      </Notice>
    );
  }
  return (
    <SessionContext.Provider value={session}>
      {answer.overview ? <ServerWall /> : <OwnerWall />}
    </SessionContext.Provider>
  );
}

function ServerWall(): JSX.Element {
  const { running, fault } = useRunning();
  const feed = useFeedOf(running?.broadcasts ?? []);
  return <Tiles feed={feed} fault={fault} isMore={running?.more === true} />;
}

function OwnerWall(): JSX.Element {
  return <Tiles feed={useSession().feed.feed} fault="" isMore={false} />;
}

function onAir(state: FeedState): readonly string[] {
  return [...state.broadcasts].flatMap(([id, { view }]) => (view !== undefined && isOnAir(view) ? [id] : []));
}

/** Once a second for all tiles together: a hundred broadcasts send two values a second each. */
const EVERY_MS = 1_000;

function Tiles({ feed, fault, isMore }: { feed: Value<FeedState>; fault: string; isMore: boolean }): JSX.Element {
  const nowMs = useNow(EVERY_MS);
  // `nowMs` is what it depends on: the feed itself changes far more often than a person can follow.
  const { state, order } = useMemo(() => {
    const state = feed.get();
    return { state, order: worstFirst(state, onAir(state), nowMs) };
  }, [feed, nowMs]);
  const broken = order.filter((id) => {
    const held = state.broadcasts.get(id);
    return held !== undefined && (badness(held, nowMs) >= 1_000 || held.view?.stream_state === 'interrupted');
  }).length;
  const counts = `${order.length} on air${broken > 0 ? `, ${broken} with errors` : ''}`;
  useEffect(() => {
    document.title = pageTitle('Wall', broken);
  }, [broken]);
  useScreenOn();
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-card px-4 py-2">
        <Logo />
        <h1 className="text-lg">{counts}</h1>
        <span className="sr-only" role="status">
          {counts}
        </span>
        {isMore ? <span className="text-sm text-muted">More are running than are shown.</span> : null}
        <FeedSign fault={fault} />
        <time className="ml-auto text-lg tabular-nums">{clockTime(nowMs)}</time>
        <SoundSwitch feed={feed} />
        <FullScreenButton />
      </header>
      <main className="p-2">
        {order.length === 0 ? (
          <p className="p-10 text-center text-lg text-muted">
            Nothing is on air. A broadcast appears here as soon as its encoder connects.
          </p>
        ) : null}
        <ul className="grid grid-flow-dense grid-cols-[repeat(auto-fill,minmax(min(190px,100%),1fr))] gap-2">
          {order.map((id) => {
            const held = state.broadcasts.get(id);
            return held?.view === undefined ? null : (
              <WallTile key={id} broadcast={held} view={held.view} nowMs={nowMs} />
            );
          })}
        </ul>
      </main>
    </>
  );
}

/** Only what is wrong: a wall that is up to date says nothing. */
function FeedSign({ fault }: { fault: string }): JSX.Element | null {
  const { feed } = useSession();
  const phase = useSelected(feed.connection, (state) => state.phase);
  const heard = useSelected(feed.connection, (state) => (state.phase === 'live' ? 0 : state.heardMs));
  if (phase === 'live' && fault === '') return null;
  return (
    <span
      className="inline-flex items-center gap-2 rounded-full bg-warn-soft px-2.5 py-0.5 text-sm text-warn"
      role="alert"
    >
      <Spinner />
      {phase === 'live' ? fault : `Reconnecting${heard === 0 ? '' : `, last update ${clockTime(heard)}`}`}
    </span>
  );
}

const WANTED = 'airlock.wall.sound';

type Sound = 'off' | 'on' | 'blocked';

/** Browsers let a page sound only after a person has pressed something on it. */
async function soundNow(): Promise<Sound> {
  const context = new AudioContext();
  const { state } = context;
  await context.close();
  return state === 'running' ? 'on' : 'blocked';
}

function SoundSwitch({ feed }: { feed: Value<FeedState> }): JSX.Element {
  const [sound, setSound] = useState<Sound>('off');
  useEffect(() => {
    if (window.localStorage.getItem(WANTED) === 'on') void soundNow().then(setSound);
  }, []);
  const known = useRef(new Set<string>());
  useEffect(() => {
    let isFirst = true;
    const look = (): void => {
      const state = feed.get();
      const found = takeNewErrors(state, known.current, isFirst);
      if (state.synced) isFirst = false;
      if (found.length > 0 && sound === 'on') beep();
    };
    look();
    return feed.subscribe(look);
  }, [feed, sound]);
  const toggle = (): void => {
    const next = sound === 'on' ? 'off' : 'on';
    if (next === 'on') beep();
    window.localStorage.setItem(WANTED, next);
    setSound(next);
  };
  useKey('m', toggle);
  const Icon = sound === 'on' ? Volume2 : VolumeX;
  const text = { on: 'Sound is on', off: 'Sound is off', blocked: 'Press to allow sound' }[sound];
  return (
    <Button onClick={toggle} aria-pressed={sound === 'on'} title="A sound for each new error (M)">
      <Icon size={14} className="my-[3px]" aria-hidden="true" />
      {text}
    </Button>
  );
}

function FullScreenButton(): JSX.Element {
  const toggle = (): void => {
    const done =
      document.fullscreenElement === null ? document.documentElement.requestFullscreen() : document.exitFullscreen();
    done.catch(none);
  };
  useKey('f', toggle);
  return (
    <Button onClick={toggle} title="Full screen (F)">
      <Maximize size={14} className="my-[3px]" aria-hidden="true" />
      Full screen
    </Button>
  );
}

function useKey(key: string, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === key && !event.ctrlKey && !event.metaKey && !event.altKey) latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [key]);
}

/** The screen stays on while the wall is seen, where the browser can. */
function useScreenOn(): void {
  useEffect(() => {
    const hold = (): void => {
      if (document.visibilityState === 'visible') navigator.wakeLock?.request('screen').catch(none);
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => document.removeEventListener('visibilitychange', hold);
  }, []);
}

function Notice({ title, children }: { title: string; children: ReactNode }): JSX.Element {
  return (
    <main className="mx-auto max-w-[480px] px-4 py-16 text-center text-muted" role="status">
      <h1 className="mb-2 text-lg text-ink">{title}</h1>
      {children}
    </main>
  );
}
