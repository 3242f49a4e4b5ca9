/** Sessions in the store: what a thief of the store, of a cookie or of a backup has in hand, and when a session ends. */
import { SESSION_LIMITS, Sessions } from '../../../src/api/access/sessions.js';
import { type Clock, edgeOf, type Store, SYSTEM_EDGES, TOPIC } from '../../../src/ports/index.js';
import { openStore } from '../../../src/store/open.js';
import { handClock, memoryLog, realClock, temporaryFolder, until } from '../../support/store-harness.js';

const TOKEN = 'AL-the-token-of-the-owner';
const START = { token: TOKEN, proof: 'the-proof', tokenId: '3', ownerId: '7', from: '192.0.2.1' };

let store: Store;
let remove: () => void;
let clock: Clock & { advance(byMs: number): void };
let sessions: Sessions;
let nextId = 100;

const open = () => new Sessions({ store, clock, ids: { next: () => String(++nextId) } });

beforeEach(async () => {
  const folder = temporaryFolder();
  remove = folder.remove;
  store = await openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });
  clock = handClock();
  sessions = open();
});

afterEach(async () => {
  await store.close();
  remove();
});

const stored = async (): Promise<readonly string[]> =>
  (await store.objects.page(SYSTEM_EDGES.sessions, { limit: 1_000 })).entries.map(({ member }) => member);

test('a cookie opens its session in every process, and no other text does', async () => {
  const { cookie, expiresMs } = await sessions.begin(START);
  expect(cookie).toMatch(/^[\w-]{43}$/);
  expect(expiresMs).toBe(clock.wallMs() + SESSION_LIMITS.idleMs);
  expect(await open().find(cookie)).toMatchObject({ token: TOKEN, proof: 'the-proof', ownerId: '7', tokenId: '3' });
  expect(await sessions.find('A'.repeat(43))).toBeUndefined();
  expect(await sessions.find(TOKEN)).toBeUndefined();
});

test('what the store holds of a session signs in nowhere: neither its id, nor its hash, nor another cookie opens it', async () => {
  const { cookie } = await sessions.begin({ ...START, code: 'the-code' });
  const [id = ''] = await stored();
  const text = JSON.stringify([
    await store.objects.get(id),
    await store.objects.page(edgeOf('7', 'sessions'), { limit: 10 }),
    await store.objects.page(SYSTEM_EDGES.sessions, { limit: 10 }),
    await store.objects.page(SYSTEM_EDGES.audit, { limit: 10 }),
  ]);
  for (const secret of [cookie, TOKEN, 'the-proof', 'the-code']) expect(text).not.toContain(secret);
  for (const stolen of [id, id.slice('session:'.length)]) expect(await sessions.find(stolen)).toBeUndefined();
  // An object that is moved to the place of another cookie stays sealed.
  const object = await store.objects.get(id);
  const other = await sessions.begin(START);
  const otherId = (await stored()).find((each) => each !== id) ?? '';
  if (object === undefined) throw new Error('no session is stored');
  const { version, ...moved } = object;
  await store.objects.commit([{ op: 'put', object: { ...moved, id: otherId } }]);
  expect(await sessions.find(other.cookie)).toBeUndefined();
});

test('a session expires when it is not used, and is renewed by use up to its end', async () => {
  const { cookie } = await sessions.begin(START);
  expect(await sessions.renew(cookie)).toBeUndefined();
  clock.advance(SESSION_LIMITS.renewMs - 1);
  expect(await sessions.renew(cookie)).toBeUndefined();
  clock.advance(1);
  expect(await sessions.renew(cookie)).toBe(clock.wallMs() + SESSION_LIMITS.idleMs);
  clock.advance(SESSION_LIMITS.idleMs - 1);
  expect(await sessions.find(cookie)).toBeDefined();
  clock.advance(1);
  expect(await sessions.find(cookie)).toBeUndefined();
  expect(await sessions.renew(cookie)).toBeUndefined();

  const kept = await sessions.begin(START);
  const endsMs = clock.wallMs() + SESSION_LIMITS.wholeMs;
  for (let expiresMs = 0; expiresMs !== endsMs; ) {
    clock.advance(SESSION_LIMITS.idleMs - SESSION_LIMITS.renewMs);
    expect(await sessions.find(kept.cookie)).toBeDefined();
    expiresMs = (await sessions.renew(kept.cookie)) ?? 0;
    expect(expiresMs).toBe(Math.min(clock.wallMs() + SESSION_LIMITS.idleMs, endsMs));
  }
  clock.advance(endsMs - clock.wallMs());
  expect(await sessions.find(kept.cookie)).toBeUndefined();
});

test('a session ends with the token that began it', async () => {
  const { cookie, expiresMs } = await sessions.begin({ ...START, expiresMs: clock.wallMs() + 1_000 });
  expect(expiresMs).toBe(clock.wallMs() + 1_000);
  clock.advance(1_000);
  expect(await sessions.find(cookie)).toBeUndefined();
});

test('signing out ends this session, and a request that comes late does not bring it back', async () => {
  const [first, second] = [await sessions.begin(START), await sessions.begin(START)];
  const told: unknown[] = [];
  store.bus.subscribe(TOPIC.tokens, (message) => told.push(message));
  clock.advance(SESSION_LIMITS.renewMs);
  await Promise.all([sessions.end(first.cookie, '192.0.2.1'), sessions.renew(first.cookie)]);
  expect(await sessions.find(first.cookie)).toBeUndefined();
  expect(await sessions.find(second.cookie)).toBeDefined();
  await until(() => told.length === 1);
  expect(await stored()).toHaveLength(1);
});

test('signing out everywhere ends all sessions of the owner, and those of no other', async () => {
  const mine = [await sessions.begin(START), await sessions.begin({ ...START, tokenId: '4' })];
  const other = await sessions.begin({ ...START, ownerId: '8' });
  const session = await sessions.find(mine[0]?.cookie ?? '');
  if (session === undefined) throw new Error('no session');
  expect(await open().endAll(session, '192.0.2.1')).toBe(2);
  for (const { cookie } of mine) expect(await sessions.find(cookie)).toBeUndefined();
  expect(await sessions.find(other.cookie)).toBeDefined();
  const { entries } = await store.objects.page(SYSTEM_EDGES.audit, { limit: 1 });
  expect(entries[0]?.value).toEqual({
    action: 'signed out of the dashboard everywhere',
    who: '3',
    from: '192.0.2.1',
    owner: '7',
  });
});

test('an owner has a bounded number of sessions, and expired ones are removed', async () => {
  const first = await sessions.begin(START);
  clock.advance(1);
  for (let count = 1; count < SESSION_LIMITS.perOwner; count++) await sessions.begin(START);
  expect(await sessions.find(first.cookie)).toBeDefined();
  const last = await sessions.begin(START);
  expect(await sessions.find(first.cookie)).toBeUndefined();
  expect(await sessions.find(last.cookie)).toBeDefined();
  expect(await stored()).toHaveLength(SESSION_LIMITS.perOwner);
  clock.advance(SESSION_LIMITS.idleMs);
  await sessions.begin({ ...START, ownerId: '8' });
  expect(await stored()).toHaveLength(1);
  expect(await store.objects.edgeSize(edgeOf('7', 'sessions'))).toBe(0);
});

test('a sign-in link names the session that it began, in this browser alone', async () => {
  const { cookie } = await sessions.begin({ ...START, code: 'the-code' });
  const other = await sessions.begin(START);
  expect(await sessions.ofCode(cookie, 'the-code')).toMatchObject({ cookie });
  expect(await sessions.ofCode(cookie, 'another')).toBeUndefined();
  expect(await sessions.ofCode(other.cookie, 'the-code')).toBeUndefined();
});
