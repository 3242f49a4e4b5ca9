/** Only server faults are logged as errors. */
import { errorAnswer } from '../../../../src/api/http/envelope.js';
import { type Log, StoreUnavailableError } from '../../../../src/ports/index.js';
import { subcodeError } from '../../../../src/spec/service-errors.js';

interface Line {
  readonly level: 'info' | 'error';
  readonly message: string;
}

function loggedFor(error: unknown): { readonly lines: readonly Line[]; readonly status: number } {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (_fields: object, message: string) => void lines.push({ level, message });
  const silent = () => undefined;
  const log: Log = { debug: silent, info: at('info'), warn: silent, error: at('error'), child: () => log };
  return { status: errorAnswer(error, 'trace', log).status, lines };
}

test.each<[string, unknown, number, readonly Line[]]>([
  [
    'a deletion refused while the recording is made',
    subcodeError('LIVE_VIDEO__DELETE_FAILED', 'Its recording is being processed.'),
    500,
    [{ level: 'info', message: 'request temporarily refused' }],
  ],
  [
    'a deletion that the store broke off',
    subcodeError('LIVE_VIDEO__DELETE_FAILED', undefined, undefined, { cause: new Error('disk') }),
    500,
    [{ level: 'error', message: 'request failed' }],
  ],
  ['a request while the store is away', new StoreUnavailableError('Redis is unavailable'), 503, []],
  ['any other thrown value', new TypeError('slip'), 500, [{ level: 'error', message: 'request failed' }]],
  ['a fault of the request', subcodeError('LIVE_VIDEO__NOT_EXIST'), 400, []],
])('%s has its status and log line', (_name, error, status, lines) => {
  expect(loggedFor(error)).toEqual({ status, lines });
});
