/** Ctrl-C, and what service managers and CI runners send: a replay ends as an encoder does that is stopped, with its report. */
import { setMaxListeners } from 'node:events';
import { EXIT_OF_SIGNAL } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';

/** Aborted by the first signal, with its name as the reason; the second one ends the process at once. */
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
