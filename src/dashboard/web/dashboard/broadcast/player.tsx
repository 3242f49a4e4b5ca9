/** Plays the stream over WebSocket-FLV while an encoder is connected, and the recording after the broadcast's end. */

import { Play } from 'lucide-react';
import { type JSX, type RefObject, useEffect, useRef, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { momentsOf } from '../../shared/moments.js';
import { titleOf } from '../../shared/verdicts.js';
import { Button } from '../../ui/button.js';
import { FIELD, FILLS_SCREEN } from '../../ui/classes.js';
import { type Api, ApiError } from '../client/api.js';
import { useSession } from '../client/session.js';
import { Still } from '../client/still.js';
import { BrokenSigns, Recording, Screen } from './recording.js';

/** `recording`: the player of an ended broadcast. */
export function Player(props: {
  view: BroadcastView;
  recording: RefObject<HTMLVideoElement | null>;
  /** All of an ended broadcast; the open ones of a running one. */
  records: readonly ErrorView[];
  endMs: number;
}): JSX.Element | null {
  const { view, recording, records, endMs } = props;
  if (isOver(view)) return <Recording view={view} video={recording} moments={momentsOf(records, endMs)} />;
  if (view.status === 'LIVE' && view.stream_state === 'interrupted') return <LastPicture id={view.id} />;
  if (view.stream_state !== 'connected') return null;
  const { configured = false, tracks = [] } = view.encoder_setup ?? {};
  return (
    <Live
      id={view.id}
      title={view.title ?? 'Broadcast'}
      tracks={configured ? tracks : []}
      broken={brokenNow(records)}
    />
  );
}

/** While the encoder is away. */
function LastPicture({ id }: { id: string }): JSX.Element {
  return (
    <Screen caption={<p>Last picture</p>}>
      <Still id={id} alt="Last picture of the stream" className={FILLS_SCREEN} />
    </Screen>
  );
}

type Tracks = NonNullable<NonNullable<BroadcastView['encoder_setup']>['tracks']>;

interface LiveProps {
  readonly id: string;
  readonly title: string;
  readonly tracks: Tracks;
  readonly broken: Broken;
}

type Broken = readonly { readonly title: string; readonly severity: ErrorView['severity'] }[];

/** The line under the picture names the worst few; all of them stand beside it. */
const NAMED = 3;

function brokenNow(records: readonly ErrorView[]): Broken {
  const titled = records.map((record) => ({ title: titleOf(record), severity: record.severity }));
  const worstFirst = titled.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  return [...new Map(worstFirst.map((each) => [each.title, each])).values()].slice(0, NAMED);
}

/** The stream is relayed only after “Watch” is pressed. */
function Live({ id, title, tracks, broken }: LiveProps): JSX.Element {
  const [watching, setWatching] = useState(false);
  if (watching) return <LiveScreen id={id} title={title} tracks={tracks} onStop={() => setWatching(false)} />;
  return (
    <Screen
      caption={
        <>
          <Button kind="main" onClick={() => setWatching(true)}>
            <Play size={14} fill="currentColor" aria-hidden="true" /> Watch
          </Button>
          <BrokenSigns moments={broken} />
          <p className="ml-auto">Still, every 5 s</p>
        </>
      }
    >
      <Still id={id} alt={`${title}, seconds ago`} className={FILLS_SCREEN} />
    </Screen>
  );
}

const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 8_000;

function LiveScreen(props: { id: string; title: string; tracks: Tracks; onStop: () => void }): JSX.Element {
  const { id, title, tracks, onStop } = props;
  const { api } = useSession();
  const video = useRef<HTMLVideoElement>(null);
  const [note, setNote] = useState('Loading the stream');
  const [track, setTrack] = useState(0);
  useEffect(() => {
    const element = video.current;
    if (element === null) return;
    return playLive({ element, api, id, track, setNote });
  }, [api, id, track]);
  return (
    <Screen
      caption={
        <>
          <Button onClick={onStop}>Stop watching</Button>
          {tracks.length < 2 ? null : (
            <select
              className={FIELD}
              aria-label="Quality"
              value={track}
              onChange={(event) => setTrack(Number(event.currentTarget.value))}
            >
              {tracks.map((each) => (
                <option key={each.track} value={each.track}>
                  {each.height}p
                </option>
              ))}
            </select>
          )}
          <p role="status">{note}</p>
        </>
      }
    >
      <video ref={video} className={FILLS_SCREEN} controls muted autoPlay playsInline aria-label={`${title}, live`} />
    </Screen>
  );
}

/** Plays until the returned function is called; restarts with a new ticket when the stream fails. */
function playLive(of: {
  element: HTMLVideoElement;
  api: Api;
  id: string;
  track: number;
  setNote: (note: string) => void;
}): () => void {
  const { element, api, id, track, setNote } = of;
  let stopped = false;
  let destroy: (() => void) | undefined;
  let timer: number | undefined;
  let waitMs = RETRY_MS;
  const onPlaying = (): void => {
    waitMs = RETRY_MS;
    setNote('');
  };
  element.addEventListener('playing', onPlaying);

  const retry = (note: string): void => {
    if (stopped) return;
    destroy?.();
    destroy = undefined;
    setNote(note);
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void begin(), waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
  };

  const begin = async (): Promise<void> => {
    try {
      const [{ default: mpegts }, { flv_path }] = await Promise.all([
        import('mpegts.js'),
        api.get<{ flv_path: string }>(`/playback/${id}`),
      ]);
      if (stopped) return;
      if (!mpegts.isSupported()) {
        setNote('This browser cannot play the live stream. The recording will be playable.');
        return;
      }
      mpegts.LoggingControl.enableAll = false;
      const path = track === 0 ? flv_path : flv_path.replace('.flv', `.${track}.flv`);
      const url = new URL(path, window.location.href);
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      const player = mpegts.createPlayer(
        { type: 'flv', isLive: true, url: url.href },
        { enableStashBuffer: false, liveBufferLatencyChasing: true, autoCleanupSourceBuffer: true, lazyLoad: false },
      );
      destroy = () => player.destroy();
      player.on(mpegts.Events.ERROR, () => retry('Playback failed. Retrying.'));
      player.on(mpegts.Events.LOADING_COMPLETE, () => retry('The stream ended. Waiting for it to resume.'));
      player.attachMediaElement(element);
      player.load();
      // Muted autoPlay is usually allowed; otherwise playback can be started with the controls.
      await Promise.resolve(player.play()).catch((error: unknown) => {
        if (!(error instanceof DOMException)) throw error;
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      retry(error.message);
    }
  };
  void begin();
  return () => {
    stopped = true;
    window.clearTimeout(timer);
    element.removeEventListener('playing', onPlaying);
    destroy?.();
  };
}
