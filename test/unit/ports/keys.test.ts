import { ALIAS, COUNTER, DERIVED_ID, LEASE, SYSTEM_EDGES, VOLATILE } from '../../../src/ports/index.js';

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
