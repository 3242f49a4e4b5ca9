import {
  ALIAS,
  COUNTER,
  DERIVED_ID,
  isOlderInput,
  LEASE,
  newFence,
  RECORD_FENCES,
  SYSTEM_EDGES,
  VOLATILE,
} from '../../../src/ports/index.js';

/** What each maker of names gives for the arguments `a` and `b`. */
function namesOf(table: Readonly<Record<string, string | ((...given: never[]) => string)>>): string[] {
  return Object.values(table).map((name) =>
    typeof name === 'string' ? name : (name as (...given: string[]) => string)('a', 'b'),
  );
}

test('names in stored data stay as earlier versions wrote them', () => {
  expect(Object.values(SYSTEM_EDGES).map(({ owner, edge }) => `${owner}/${edge}`)).toEqual([
    'system/owners',
    'system/tokens',
    'system/audit',
    'system/deadlines',
    'system/connected',
    'system/closing',
    'system/jobs',
    'system/copyright_references',
    'system/copyright_matches',
    'system/upload_sessions',
    'system/kept_recordings',
    'system/expiring_videos',
    'system/webhook_pending',
    'system/forwards',
    'system/sessions',
    'system/health_series',
    'system/server_histories',
  ]);
  expect(namesOf(COUNTER)).toEqual([
    'stored_bytes',
    'votes',
    'views',
    'views_live',
    'views_as',
    'watched_ms',
    'watched_live_ms',
    'retention:a',
    'audience_sum',
    'audience_samples',
    'a:b',
  ]);
  expect(namesOf(ALIAS)).toEqual(['token:a', 'username:a', 'quickstart']);
  expect(namesOf(DERIVED_ID)).toEqual([
    'server-key',
    'acme',
    'gone:a',
    'refusals:a',
    'peak:a',
    'publishers:a',
    'job-a-b',
    'vote:a:b',
    'series-a',
    'server-history:a',
    'session:a',
    'webhook:a',
  ]);
  expect(namesOf(LEASE)).toEqual(['publish:a', 'preflight:a', 'job:a', 'quickstart', 'sweep', 'webhook', 'acme']);
});

test('no two short-lived values of one broadcast share a name', () => {
  const names = namesOf(VOLATILE);
  expect(new Set(names).size).toBe(names.length);
});

test('a fence of an input stream is older than one that was made within two hours after it, also where they begin anew', () => {
  const { min, max } = RECORD_FENCES.input;
  const fenceAt = (ms: number) => newFence(RECORD_FENCES.input, { next: () => String(BigInt(ms) << 22n) });
  // What is left of an id begins anew after 2^46 / 2^22 ms.
  const beginMs = (max - min + 1) / 2 ** 22;
  for (const ms of [0, beginMs - 3_600_000, 7 * beginMs - 1]) {
    for (const laterMs of [1, 60_000, 7_200_000]) {
      expect([
        isOlderInput(fenceAt(ms), fenceAt(ms + laterMs)),
        isOlderInput(fenceAt(ms + laterMs), fenceAt(ms)),
      ]).toEqual([true, false]);
    }
    expect(isOlderInput(fenceAt(ms), fenceAt(ms))).toBe(false);
  }
});
