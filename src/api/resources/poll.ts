/** Polls of videos and live videos: fields, edges and writes. */
import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, VideoData } from '../../lifecycle/documents.js';
import {
  COUNTER,
  ConflictError,
  DERIVED_ID,
  type EdgeName,
  edgeOf,
  type StoredObject,
  type Write,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { type Call, SUCCESS, viewerOf } from '../graph/call.js';
import { defineEdge, totalCount } from '../graph/edge.js';
import { listNodes, nodesOf } from '../graph/listed.js';
import { byDefault, defineNodeType, type Field } from '../graph/node-type.js';
import { type Paging, pageOfList, type Rows, rowsOf, storeQuery } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { bool, int, list, oneOf, text } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';
import { editObject } from './shared/edit.js';
import { announce } from './shared/engagement.js';

// ---------------------------------------------------------------- fields and edges

export type PollStatus = 'closed' | 'voting_open' | 'results_open';

export interface PollData {
  /** Id of the live video or video of the poll. */
  readonly rootId: string;
  readonly ownerId: string;
  readonly question: string;
  readonly status: PollStatus;
  readonly optionIds: readonly string[];
  readonly showResults: boolean;
  readonly showGradient: boolean;
  readonly defaultOpen: boolean;
  readonly closeAfterVoting: boolean;
  /** Id of the Video to which the poll was attached too. */
  readonly attachedTo?: string;
}

export type Poll = StoredObject<PollData>;

export interface PollOptionData {
  readonly rootId: string;
  readonly ownerId: string;
  readonly pollId: string;
  readonly text: string;
  readonly order: number;
  readonly isCorrect: boolean;
}

export type PollOption = StoredObject<PollOptionData>;

const flag = (description: string, read: Field<Poll>['read']): Field<Poll> => ({ type: 'bool', description, read });

export const pollType = defineNodeType<Poll>({
  typeName: 'VideoPoll',
  node: 'poll',
  idOf: (poll) => poll.id,
  fields: {
    id: { type: 'numeric string', description: 'Id of the poll.', isDefault: true, read: (poll) => poll.id },
    question: { type: 'string', description: 'Question.', isDefault: true, read: (poll) => poll.data.question },
    status: {
      type: 'closed, voting_open or results_open',
      description: 'State of the poll.',
      isDefault: true,
      read: (poll) => poll.data.status,
    },
    show_results: flag('Whether voters see the results.', (poll) => poll.data.showResults),
    show_gradient: flag('Whether a gradient is shown behind the poll.', (poll) => poll.data.showGradient),
    default_open: flag('Whether voting is open from the start.', (poll) => poll.data.defaultOpen),
    close_after_voting: flag(
      'Whether the poll closes for a viewer who has voted.',
      (poll) => poll.data.closeAfterVoting,
    ),
  },
});

/** Votes are visible to managers, and to all viewers once results are shown. */
async function maySeeVotes(option: PollOption, call: Call): Promise<boolean> {
  const poll = (await call.loader.load(option.data.pollId)) as Poll | undefined;
  if (poll === undefined) return false;
  return poll.data.status === 'results_open' || poll.data.showResults || call.access.manages(poll.data.ownerId);
}

export const pollOptionType = defineNodeType<PollOption>({
  typeName: 'VideoPollOption',
  node: 'poll_option',
  idOf: (option) => option.id,
  fields: {
    id: { type: 'numeric string', description: 'Id of the option.', isDefault: true, read: (option) => option.id },
    text: { type: 'string', description: 'Text of the option.', isDefault: true, read: (option) => option.data.text },
    order: { type: 'int', description: 'Position, from 0.', read: (option) => option.data.order },
    is_correct: {
      type: 'bool',
      description: 'Whether this is the correct answer; present once results are shown.',
      read: async (option, call) => ((await maySeeVotes(option, call)) ? option.data.isCorrect : undefined),
    },
    total_votes: {
      type: 'int',
      description: 'Number of votes for the option.',
      counts: { counter: COUNTER.votes },
      follows: ['pollId'],
      read: async (option, call) =>
        (await maySeeVotes(option, call)) ? call.loader.counter(option.id, COUNTER.votes) : undefined,
    },
  },
});

export interface PollSettings {
  readonly id: string;
  readonly enableWasLiveVoting: boolean;
  readonly placement: string;
}

const pollSettingsType = defineNodeType<PollSettings>({
  typeName: 'VideoPollSettings',
  idOf: (row) => row.id,
  fields: {
    id: byDefault('numeric string', 'Id of the video.', (row) => row.id),
    enable_was_live_voting: byDefault(
      'bool',
      'Whether voting continues after the broadcast.',
      (row) => row.enableWasLiveVoting,
    ),
    video_poll_www_placement: byDefault('string', 'Position of the poll in the player.', (row) => row.placement),
  },
});

/** For a recording, also polls of its live video, because those of version 0.1 are listed there only. */
async function pollsOf(call: Call, ids: readonly string[], paging: Paging): Promise<Rows> {
  const { offset = 0, ...query } = storeQuery(paging);
  const read = { ...query, limit: query.limit + offset };
  const pages = await Promise.all(ids.map((id) => call.loader.page(edgeOf(id, 'polls'), read)));
  const all = [...new Map(pages.flatMap(({ entries }) => entries).map((each) => [each.member, each])).values()];
  all.sort((a, b) => b.score - a.score || (a.member < b.member ? 1 : -1));
  const isBackward = paging.before !== undefined && paging.after === undefined;
  const entries = isBackward ? all.slice(-query.limit) : all.slice(offset, read.limit);
  const isCut = all.length > (isBackward ? query.limit : read.limit);
  const page = {
    entries,
    hasNext: pages.some(({ hasNext }) => hasNext) || (isCut && !isBackward),
    hasPrevious: pages.some(({ hasPrevious }) => hasPrevious) || (isCut && isBackward),
  };
  return rowsOf(page, await Promise.all(entries.map(({ member }) => call.loader.load(member))));
}

export const pollsEdge = defineEdge<{ readonly liveVideoId?: string }, z.ZodObject>({
  row: pollType,
  params: z.object({}),
  lists: nodesOf('polls'),
  read: ({ call, owner, paging }) => {
    const { liveVideoId } = owner.data;
    if (liveVideoId !== undefined && paging.limit > 0) return pollsOf(call, [owner.id, liveVideoId], paging);
    return listNodes(call, edgeOf(owner.id, 'polls'), paging, { samePrivacy: true });
  },
  summary: totalCount('polls'),
});

/** In display order. */
export const pollOptionsEdge = defineEdge<PollData, z.ZodObject>({
  row: pollOptionType,
  params: z.object({}),
  follows: ['optionIds'],
  read: async ({ call, owner, paging }) => {
    const found = await Promise.all(owner.data.optionIds.map((id) => call.loader.load(id)));
    const options = found.filter((each) => each !== undefined) as PollOption[];
    return pageOfList(options, (option) => option.id, paging);
  },
});

export const pollSettingsEdge = defineEdge<VideoData, z.ZodObject>({
  row: pollSettingsType,
  params: z.object({}),
  read: async ({ owner, paging }) => {
    const row = { id: owner.id, enableWasLiveVoting: false, placement: 'BOTTOM_RIGHT' };
    return pageOfList([row], (each) => each.id, paging);
  },
});

// ---------------------------------------------------------------- writes

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
  const voter = viewerOf(call);
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

// ---------------------------------------------------------------- removal

const PAGE = 100;

/** Moves the polls of a live video that is deleted to its recording. */
export async function movePollsToVideo(call: Call, liveVideoId: string, videoId: string): Promise<void> {
  const edge = edgeOf(liveVideoId, 'polls');
  let after: string | undefined;
  for (;;) {
    const page = await call.services.store.objects.page(edge, {
      limit: PAGE,
      ...defined({ after }),
    });
    for (const { member } of page.entries) await moveToVideo(call, member, edge, videoId);
    after = page.entries[page.entries.length - 1]?.cursor;
    if (!page.hasNext || after === undefined) return;
  }
}

async function moveToVideo(call: Call, pollId: string, from: EdgeName, rootId: string): Promise<void> {
  const poll = await call.services.store.objects.get<PollData>(pollId);
  if (poll === undefined) return;
  for (const id of poll.data.optionIds) await editObject<PollOptionData>(call, id, (data) => ({ ...data, rootId }));
  await editObject<PollData>(call, pollId, ({ attachedTo: _, ...data }) => ({ ...data, rootId }), [
    { op: 'edgeRemove', ...from, member: pollId },
    { op: 'edgeAdd', ...edgeOf(rootId, 'polls'), member: pollId, score: poll.createdMs },
  ]);
}

/** Deletes the poll, its options and its list entries. Votes are unreachable without the poll. */
export function pollRemoval(poll: Poll): Write[] {
  const { rootId, attachedTo, optionIds } = poll.data;
  return [
    { op: 'delete', id: poll.id },
    ...optionIds.map((id): Write => ({ op: 'delete', id })),
    { op: 'edgeRemove', ...edgeOf(rootId, 'polls'), member: poll.id },
    ...(attachedTo === undefined
      ? []
      : [{ op: 'edgeRemove', ...edgeOf(attachedTo, 'polls'), member: poll.id } as const]),
  ];
}
