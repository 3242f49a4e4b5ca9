/** One recording published over one connection, from connecting to the last word of the server. */
import { setMaxListeners } from 'node:events';
import type { ClientStatus } from '../../rtmp/session/client-session.js';
import { EXIT_OF_SIGNAL } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { Encoder, type EncoderOptions } from './encoder.js';
import { type PlayOptions, play } from './play.js';
import type { TagBatch } from './source.js';
import type { Publish } from './verdict.js';

/** The server has this long to work through what a fast replay has sent. */
const SETTLE_TIMEOUT_MS = 120_000;
/** A violation is written to a journal before it is said; this long after the last word nothing more is expected. */
const QUIET_MS = 400;
const CLOSE_TIMEOUT_MS = 5_000;
/** Somebody waits for the end: what the server says by then is in the report. */
const STOP_SETTLE_MS = 3_000;
/** A server that refuses or ends gives its reason, then closes. */
const LAST_WORDS_MS = 2_000;

export interface PublishOptions extends Omit<EncoderOptions, 'onStatus'>, PlayOptions {
  readonly file: string;
  readonly connection: number;
  readonly source: AsyncGenerator<TagBatch>;
  readonly onStatus: (status: ClientStatus) => void;
}

/** @throws CliError when the server cannot be reached, or the file cannot be sent */
export async function publish(options: PublishOptions): Promise<Publish> {
  const statuses: ClientStatus[] = [];
  const { target, key, file, connection } = options;
  const about = { file, connection, to: `${target.tcUrl}/${shownKey(key)}`, statuses };
  const isStopped = () => options.stop?.aborted === true;
  if (isStopped()) return { ...about, refused: false };
  const encoder = await Encoder.open({
    ...options,
    onStatus: (status) => {
      statuses.push(status);
      options.onStatus(status);
    },
  }).catch((error: unknown) => {
    if (!isStopped()) throw error;
  });
  if (encoder === undefined) return { ...about, refused: false };
  try {
    if (!encoder.isPublishing) {
      if (encoder.refusal !== undefined && !statuses.includes(encoder.refusal)) statuses.push(encoder.refusal);
      return { ...about, refused: true };
    }
    let played = await play(encoder, options.source, options);
    if (played.ending === 'finished') await encoder.settled(SETTLE_TIMEOUT_MS, QUIET_MS);
    if (isStopped() && (played.ending === 'finished' || played.ending === 'stopped')) {
      played = { ...played, ending: 'stopped' };
      await encoder.settled(STOP_SETTLE_MS, QUIET_MS);
    }
    if (played.ending === 'finished' || played.ending === 'stopped') {
      await encoder.close(CLOSE_TIMEOUT_MS);
    } else if (played.ending === 'ended-by-server') {
      await encoder.close(LAST_WORDS_MS);
    }
    const endedByServer = statuses.some((status) => status.level === 'error');
    return { ...about, refused: false, played: endedByServer ? { ...played, ending: 'ended-by-server' } : played };
  } finally {
    encoder.drop();
    await options.source.return(undefined);
  }
}

/** What may be shown of a key: the id before the secret, or, of another server's key, its first characters. */
export function shownKey(key: string): string {
  const [plain = ''] = key.split('?');
  const id = /^(\d+)-/.exec(plain)?.[1];
  return id === undefined ? `${plain.slice(0, 4)}***` : `${id}-***`;
}

/**
 * Aborted by the first signal (Ctrl-C, or what service managers and CI runners send), with its name as the reason: a replay
 * then ends as an encoder does that is stopped, with its report. The second signal ends the process at once.
 */
export function stopOf(io: CliIo): AbortSignal {
  const controller = new AbortController();
  // One for each connection.
  setMaxListeners(0, controller.signal);
  void io
    .untilStopped((signal) => EXIT_OF_SIGNAL[signal])
    .then((signal) => {
      printLine(io.stderr, 'airlock: stopping; the report follows (once more ends at once, without it)');
      controller.abort(signal);
    });
  return controller.signal;
}
