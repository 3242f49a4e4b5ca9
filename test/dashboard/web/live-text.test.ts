import { liveText } from '../../../src/dashboard/web/shared/live-text.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

const record = (over: Partial<ErrorView>): ErrorView =>
  ({
    timestamp: new Date(10_000).toISOString(),
    count: 1,
    worst: 8_330,
    unit: 'ms',
    evidence: { first: { kind: 'stream' } },
    ...over,
  }) as ErrorView;

test('an open error tells how long, how often and how bad', () => {
  expect(liveText(record({ count: 3 }), 52_000)).toBe('open for 0:42 · 3 times · worst 8.33 s');
  expect(liveText(record({ cleared_time: new Date(15_000).toISOString() }), 52_000)).toBe('lasted 0:05 · worst 8.33 s');
});

test('a worst value is shown only where it differs from the observed one, which the sentence names', () => {
  const mono = { observed: 1, unit: 'channels' };
  expect(liveText(record({ ...mono, worst: 1 }), 52_000)).toBe('open for 0:42');
  expect(liveText(record({ observed: 4_067 }), 52_000)).toBe('open for 0:42 · worst 8.33 s');
});

test('an error of a file has no time', () => {
  const evidence = { first: { kind: 'file' } } as NonNullable<ErrorView['evidence']>;
  expect([liveText(record({ evidence }), 52_000), liveText(record({ evidence, count: 2 }), 52_000)]).toEqual([
    '',
    '2 times',
  ]);
});
