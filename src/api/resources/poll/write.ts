/** Polls of videos and broadcasts, their options, and poll settings. */
import { z } from 'zod';
import type { LiveVideoData, VideoData } from '../../../broadcast/documents.js';
import type { StoredObject, Write } from '../../../ports/index.js';
import { parameterError } from '../../../spec/service-errors.js';
import { defineEdge } from '../../graph/edge.js';
import { listNodes, nodesOf } from '../../graph/listed.js';
import { pageOfList } from '../../graph/paging.js';
import { operation } from '../../graph/registry.js';
import { bool, int, list, text } from '../../params/kinds.js';
import { pollSettingsType } from '../shared/profile.js';
import { type PollData, type PollOption, type PollOptionData, pollOptionType, pollType } from './fields.js';

export const pollsEdge = defineEdge<unknown, z.ZodObject>({
  row: pollType,
  params: z.object({}),
  lists: nodesOf('polls'),
  read: ({ call, owner, paging }) => listNodes(call, { owner: owner.id, edge: 'polls' }, paging, { samePrivacy: true }),
  summary: {
    defaults: ['total_count'],
    fields: { total_count: ({ call, owner }) => call.loader.size({ owner: owner.id, edge: 'polls' }) },
  },
});

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
    if (params.question.trim() === '') throw parameterError('The parameter question is required');
    const blank = options.findIndex((option) => option.trim() === '');
    if (blank >= 0) throw parameterError(`Param options[${blank}] must not be empty`);
    if (options.length < 2) throw parameterError('Param options must be a list of at least 2');
    if (correct !== undefined && (correct < 1 || correct > options.length)) {
      throw parameterError(`Param correct_option must be an integer from 1 to ${options.length}`);
    }
    const { ids, store } = call.services;
    const pollId = ids.next();
    const common = { rootId: target.id, ownerId: target.data.ownerId };
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
    };
    await store.objects.commit([
      ...rows.map((object): Write => ({ op: 'put', object, expect: 0 })),
      { op: 'put', object: { id: pollId, kind: 'poll', ...at, data }, expect: 0 },
      { op: 'edgeAdd', owner: target.id, edge: 'polls', member: pollId, score: call.nowMs },
    ]);
    return { body: { id: pollId, option_ids: data.optionIds } };
  },
);

function requireLive(live: StoredObject<LiveVideoData>): void {
  if (live.data.status !== 'LIVE') {
    throw parameterError(`The live video is ${live.data.status}; polls are made while it is LIVE`);
  }
}

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
