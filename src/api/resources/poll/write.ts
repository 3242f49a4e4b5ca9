/** Creates polls, runs poll actions, records votes. */

import { z } from 'zod';
import { defined } from '../../../lib/objects.js';
import type { LiveVideoData, VideoData } from '../../../lifecycle/documents.js';
import { COUNTER, ConflictError, DERIVED_ID, edgeOf, type StoredObject, type Write } from '../../../ports/index.js';
import { parameterError } from '../../../spec/service-errors.js';
import { notPermitted } from '../../access/faults.js';
import { type Call, SUCCESS } from '../../graph/call.js';
import { operation } from '../../graph/registry.js';
import { bool, int, list, oneOf, text } from '../../params/kinds.js';
import { changeLine } from '../shared/change-line.js';
import { editObject } from '../shared/edit.js';
import { announce } from '../shared/engagement.js';
import type { Poll, PollData, PollOptionData, PollStatus } from './fields.js';
import { pollRemoval } from './removal.js';

const createParams = z.object({
  question: text({ max: 1000 }),
  options: list(text({ max: 500 }), { max: 100 }),
  correct_option: int().optional(),
  show_results: bool().optional(),
  show_gradient: bool().optional(),
  default_open: bool().optional(),
  close_after_voting: bool().optional(),
});

export const createPoll = operation<LiveVideoData | VideoData, typeof createParams>(
  createParams,
  async (call, target, params) => {
    if (target.kind === 'live_video') requireLive(target as StoredObject<LiveVideoData>);
    const { options, correct_option: correct } = params;
    checkQuestion(params.question);
    const blank = options.findIndex((option) => option.trim() === '');
    if (blank >= 0) throw parameterError(`Param options[${blank}] must not be empty`);
    if (options.length < 2) throw parameterError('Param options must be a list of at least 2');
    if (correct !== undefined && (correct < 1 || correct > options.length)) {
      throw parameterError(`Param correct_option must be an integer from 1 to ${options.length}`);
    }
    const { ids, store } = call.services;
    const pollId = ids.next();
    const common = { rootId: target.id, ownerId: target.data.ownerId };
    // Listed under the Video too, where it remains when the live video is deleted.
    const attachedTo = target.kind === 'live_video' ? (target.data as LiveVideoData).videoId : undefined;
    const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
    const rows = options.map((option, order) => {
      const data: PollOptionData = { ...common, pollId, text: option, order, isCorrect: correct === order + 1 };
      return { id: ids.next(), kind: 'poll_option', ...at, data } as const;
    });
    const data: PollData = {
      ...common,
      question: params.question,
      status: params.default_open ? 'voting_open' : 'closed',
      optionIds: rows.map((row) => row.id),
      showResults: params.show_results ?? false,
      showGradient: params.show_gradient ?? false,
      defaultOpen: params.default_open ?? false,
      closeAfterVoting: params.close_after_voting ?? false,
      ...defined({ attachedTo }),
    };
    await store.objects.commit([
      ...rows.map((object): Write => ({ op: 'put', object, expect: 0 })),
      { op: 'put', object: { id: pollId, kind: 'poll', ...at, data }, expect: 0 },
      { op: 'edgeAdd', ...edgeOf(target.id, 'polls'), member: pollId, score: call.nowMs },
      ...(attachedTo === undefined
        ? []
        : [{ op: 'edgeAdd', ...edgeOf(attachedTo, 'polls'), member: pollId, score: call.nowMs } as const]),
    ]);
    announce(call, 'poll', target.id);
    return { body: { id: pollId, option_ids: data.optionIds } };
  },
);

function requireLive(live: StoredObject<LiveVideoData>): void {
  if (live.data.status !== 'LIVE') {
    throw parameterError(`The live video is ${live.data.status}; polls can be created only while it is LIVE`);
  }
}

const ACTIONS = ['SHOW_VOTING', 'SHOW_RESULTS', 'CLOSE', 'ATTACH_TO_VIDEO', 'DELETE_POLL'] as const;

const updateParams = z.object({
  action: oneOf(ACTIONS).optional(),
  question: text({ max: 1000 }).optional(),
  show_results: bool().optional(),
  show_gradient: bool().optional(),
  default_open: bool().optional(),
  close_after_voting: bool().optional(),
});

/** Transitions of each action: allowed source states, and the target state. */
const MOVES: Readonly<
  Record<'SHOW_VOTING' | 'SHOW_RESULTS' | 'CLOSE', { from: readonly PollStatus[]; to: PollStatus }>
> = {
  SHOW_VOTING: { from: ['closed', 'voting_open', 'results_open'], to: 'voting_open' },
  SHOW_RESULTS: { from: ['voting_open', 'results_open'], to: 'results_open' },
  CLOSE: { from: ['closed', 'voting_open', 'results_open'], to: 'closed' },
};

/** Changes only what the request contains: settings, the state by an action, or both. */
export const updatePoll = operation<PollData, typeof updateParams>(updateParams, async (call, poll, params) => {
  const { action, question } = params;
  if (action === 'DELETE_POLL') {
    await call.services.store.objects.commit([...pollRemoval(poll), changeLine(call, 'delete', poll)]);
    announce(call, 'poll', poll.data.rootId);
    return SUCCESS;
  }
  if (Object.keys(params).length === 0) {
    throw parameterError(`One of the parameters ${Object.keys(updateParams.shape).join(', ')} is required`);
  }
  if (question !== undefined) checkQuestion(question);
  const attached = action === 'ATTACH_TO_VIDEO' ? await videoToAttachTo(call, poll) : undefined;
  await editObject<PollData>(
    call,
    poll.id,
    (data) => ({
      ...data,
      ...defined({
        question,
        showResults: params.show_results,
        showGradient: params.show_gradient,
        defaultOpen: params.default_open,
        closeAfterVoting: params.close_after_voting,
      }),
      ...(action === 'ATTACH_TO_VIDEO' ? { attachedTo: attached ?? data.attachedTo ?? data.rootId } : {}),
      ...(action === undefined || action === 'ATTACH_TO_VIDEO' ? {} : { status: moved(data.status, action) }),
    }),
    attached === undefined
      ? []
      : [{ op: 'edgeAdd', ...edgeOf(attached, 'polls'), member: poll.id, score: poll.createdMs }],
  );
  announce(call, 'poll', poll.data.rootId);
  return SUCCESS;
});

function checkQuestion(question: string): void {
  if (question.trim() === '') throw parameterError('The parameter question is required');
}

function moved(status: PollStatus, action: keyof typeof MOVES): PollStatus {
  const { from, to } = MOVES[action];
  if (!from.includes(status)) throw parameterError(`The poll is ${status}; ${action} is not possible in that state`);
  return to;
}

/** The recorded Video of the broadcast. */
async function videoToAttachTo(call: Call, poll: Poll): Promise<string | undefined> {
  const root = await call.loader.load(poll.data.rootId);
  if (root?.kind !== 'live_video') return undefined;
  const { videoId, status } = root.data as { videoId: string; status: string };
  if (!/^(LIVE_STOPPED|PROCESSING|VOD)$/.test(status)) throw parameterError('The broadcast has no recording yet');
  return videoId;
}

/** One vote per viewer and poll. */
export const vote = operation<PollOptionData, z.ZodObject>(z.object({}), async (call, option) => {
  const poll = (await call.loader.load(option.data.pollId)) as Poll | undefined;
  if (poll?.data.status !== 'voting_open')
    throw parameterError(`The poll is ${poll?.data.status ?? 'deleted'}; voting is closed`);
  const voter = call.viewer;
  if (!voter) throw notPermitted('Requires an access token.');
  const id = DERIVED_ID.vote(poll.id, voter.ownerId);
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  try {
    await call.services.store.objects.commit([
      { op: 'put', object: { id, kind: 'setting', ...at, data: { optionId: option.id } }, expect: 0 },
      {
        op: 'edgeAdd',
        ...edgeOf(poll.id, 'votes'),
        member: voter.ownerId,
        score: call.nowMs,
        value: { option: option.id },
      },
      { op: 'count', owner: option.id, counter: COUNTER.votes, by: 1 },
    ]);
  } catch (error) {
    if (error instanceof ConflictError) throw parameterError('This viewer has already voted in the poll');
    throw error;
  }
  announce(call, 'poll', poll.data.rootId);
  return SUCCESS;
});
