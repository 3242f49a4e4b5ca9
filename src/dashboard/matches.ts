/**
 * Copyright matches for the operator, below `/dashboard/data/matches`: the list, the two sounds of each as WAV, and the
 * decision (`POST …/<match id>?decision=confirmed|dismissed`).
 */
import type { IncomingMessage } from 'node:http';
import { isCode } from '../lib/errors.js';
import { defined } from '../lib/objects.js';
import { MATCH_PIECES, MATCH_STATES, type MatchClip, type MatchPiece, type MatchState } from '../ports/index.js';
import { type Answer, type Asker, notAllowed, paramsOf, refused } from './answer.js';
import { pathOf } from './pages.js';

/** Rows and decisions are those of the command line. */
export interface MatchReview {
  list(query: {
    readonly state: MatchState | undefined;
    readonly after: string | undefined;
  }): Promise<{ readonly rows: readonly object[]; readonly next?: string }>;
  /** @throws ServiceError */
  decide(id: string, decision: 'confirmed' | 'dismissed', by: { who: string; from: string }): Promise<object>;
  clip(id: string, piece: MatchPiece): Promise<MatchClip>;
}

const PATH = /^\/dashboard\/data\/matches(?:\/(\d{1,20}_\d{1,20}_\d{1,12})(?:\/([a-z]{1,20}))?)?$/;

export const isMatchPath = (path: string): boolean => PATH.test(path);

export async function answerMatches(
  review: MatchReview,
  { viewer, from }: Asker,
  request: IncomingMessage,
): Promise<Answer> {
  if (viewer.isOperator !== true) return refused(403, 'Requires a token with the scope operator.');
  const { method = '', url = '' } = request;
  const [, id, name] = PATH.exec(pathOf(request)) ?? [];
  const params = paramsOf(url);
  if (id === undefined) return method === 'GET' ? list(review, params) : notAllowed(method);
  if (name === undefined) {
    const decision = params.get('decision');
    if (method !== 'POST') return notAllowed(method);
    if (decision !== 'confirmed' && decision !== 'dismissed')
      return refused(400, 'Param decision must be one of {confirmed, dismissed}.');
    return { status: 200, body: await review.decide(id, decision, { who: viewer.tokenId, from }) };
  }
  const piece = MATCH_PIECES.find((each) => each === name);
  if (piece === undefined) return refused(404, 'Not found.');
  if (method !== 'GET') return notAllowed(method);
  const clip = await review.clip(id, piece);
  return 'wav' in clip ? { status: 200, body: clip.wav, type: 'audio/wav' } : refused(404, clip.gone);
}

async function list(review: MatchReview, params: URLSearchParams): Promise<Answer> {
  const state = MATCH_STATES.find((each) => each === params.get('state'));
  try {
    const { rows, next } = await review.list({ state, after: params.get('after') ?? undefined });
    return { status: 200, body: { matches: rows, ...defined({ next }) } };
  } catch (error) {
    if (isCode(error, 'STORE_INVALID_CURSOR')) return refused(400, 'Invalid cursor.');
    throw error;
  }
}
