/** Copyright matches on the dashboard: for operators only; list, sounds and decisions. */
import type { IncomingMessage } from 'node:http';
import { answerMatches, isMatchPath, type MatchReview } from '../../src/dashboard/matches.js';
import type { FeedViewer } from '../../src/dashboard/view/viewer.js';

const ID = '12_34_5000';
const decided: unknown[] = [];
const review: MatchReview = {
  list: async ({ state, after }) => ({ rows: [{ id: ID, state, after }], next: 'c2' }),
  decide: async (id, decision, by) => {
    decided.push([id, decision, by]);
    return { id, state: decision };
  },
  clip: async (_id, piece) => (piece === 'found' ? { wav: Uint8Array.of(82, 73) } : { gone: 'The video was removed.' }),
};
const never = async (): Promise<boolean> => false;
const viewer = (isOperator: boolean): FeedViewer => ({
  tokenId: 't1',
  ownerId: '7',
  ownerIds: [],
  isOperator,
  mayRead: never,
  mayPicture: never,
  mayShare: never,
});

const ask = (method: string, path: string, isOperator = true) => {
  const url = `/dashboard/data/matches${path}`;
  return answerMatches(review, { viewer: viewer(isOperator), from: '192.0.2.1' }, { method, url } as IncomingMessage);
};

test('lists matches and pages', async () => {
  expect(await ask('GET', '?state=open&after=c1')).toEqual({
    status: 200,
    body: { matches: [{ id: ID, state: 'open', after: 'c1' }], next: 'c2' },
  });
});

test('sends a sound as WAV, or says that it is gone', async () => {
  expect(await ask('GET', `/${ID}/found`)).toEqual({ status: 200, body: Uint8Array.of(82, 73), type: 'audio/wav' });
  expect(await ask('GET', `/${ID}/reference`)).toEqual({
    status: 404,
    body: { error: { message: 'The video was removed.' } },
  });
  expect((await ask('GET', `/${ID}/other`)).status).toBe(404);
});

test('decides with the token and address for the audit log', async () => {
  expect(await ask('POST', `/${ID}?decision=dismissed`)).toEqual({ status: 200, body: { id: ID, state: 'dismissed' } });
  expect(decided).toEqual([[ID, 'dismissed', { who: 't1', from: '192.0.2.1' }]]);
  expect((await ask('POST', `/${ID}?decision=deleted`)).status).toBe(400);
  expect((await ask('DELETE', `/${ID}`)).status).toBe(405);
});

test('lists, plays and decides nothing for other tokens', async () => {
  const before = decided.length;
  for (const [method, path] of [
    ['GET', ''],
    ['GET', `/${ID}/found`],
    ['GET', `/${ID}/reference`],
    ['POST', `/${ID}?decision=confirmed`],
  ] as const) {
    expect((await ask(method, path, false)).status).toBe(403);
  }
  expect(decided).toHaveLength(before);
});

test('other paths are not its own', () => {
  expect(isMatchPath('/dashboard/data/matches')).toBe(true);
  for (const path of ['/dashboard/data/matches/', '/dashboard/data/matches/..', '/dashboard/data/matchesx']) {
    expect(isMatchPath(path)).toBe(false);
  }
});
