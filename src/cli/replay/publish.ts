/** Publishes one recording over one connection, up to the last status message of the server. */
import { setMaxListeners } from 'node:events';
import { EXIT_OF_SIGNAL } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { Encoder, type EncoderOptions } from './encoder.js';
import { type PlayOptions, play } from './play.js';
import type { TagBatch } from './source.js';
import type { Publish } from './verdict.js';

/** Time for the server to process what a fast replay has sent. */
const SETTLE_TIMEOUT_MS = 120_000;
/** A violation is pushed after it is journaled; after this long without a message, no more are expected. */
const QUIET_MS = 400;
const CLOSE_TIMEOUT_MS = 5_000;
/** Time for final status messages after Ctrl-C, while the user waits. */
const STOP_SETTLE_MS = 3_000;
/** Time for the server to close the connection after it ended the stream. */
const SERVER_CLOSE_TIMEOUT_MS = 2_000;

export interface PublishOptions extends EncoderOptions, PlayOptions {
  readonly file: string;
  readonly connection: number;
  readonly source: AsyncGenerator<TagBatch>;
}

/** @throws CliError when the server cannot be reached, or the file cannot be sent */
export async function publish(options: PublishOptions): Promise<Publish> {
  const { target, key, file, connection } = options;
  const about = { file, connection, to: `${target.tcUrl}/${shownKey(key)}` };
  const isStopped = () => options.stop?.aborted === true;
  const unpublished = { ...about, statuses: [], refused: false };
  if (isStopped()) return unpublished;
  const encoder = await Encoder.open(options).catch((error: unknown) => {
    if (!isStopped()) throw error;
  });
  if (encoder === undefined) return unpublished;
  const { statuses, refusal } = encoder;
  const published = { ...about, statuses };
  try {
    if (!encoder.isPublishing) {
      if (refusal !== undefined && !statuses.includes(refusal)) statuses.push(refusal);
      return { ...published, refused: true };
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
      await encoder.close(SERVER_CLOSE_TIMEOUT_MS);
    }
    const endedByServer = statuses.some((status) => status.level === 'error');
    return { ...published, refused: false, played: endedByServer ? { ...played, ending: 'ended-by-server' } : played };
  } finally {
    encoder.drop();
    await options.source.return(undefined);
  }
}

/** The key without its secret: the id, or the first characters of a key of another server. */
function shownKey(key: string): string {
  const [plain = ''] = key.split('?');
  const id = /^(\d+)-/.exec(plain)?.[1];
  return id === undefined ? `${plain.slice(0, 4)}***` : `${id}-***`;
}

/**
 * Aborted by the first stop signal (Ctrl-C, or that of a service manager or CI runner), with its name as the reason: the
 * replay then unpublishes and reports. The second signal ends the process immediately.
 */
export function stopOf(io: CliIo): AbortSignal {
  const controller = new AbortController();
  // Each connection adds listeners.
  setMaxListeners(0, controller.signal);
  void io
    .untilStopped((signal) => EXIT_OF_SIGNAL[signal])
    .then((signal) => {
      printLine(io.stderr, 'airlock: stopping; the report follows (press Ctrl-C again to exit without it)');
      controller.abort(signal);
    });
  return controller.signal;
}
