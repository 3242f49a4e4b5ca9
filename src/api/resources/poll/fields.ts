/** Polls, poll options and poll settings: fields and edges. */

import { z } from 'zod';
import type { VideoData } from '../../../lifecycle/documents.js';
import { COUNTER, edgeOf, type StoredObject } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import { defineEdge, totalCount } from '../../graph/edge.js';
import { listNodes, nodesOf } from '../../graph/listed.js';
import { byDefault, defineNodeType, type Field } from '../../graph/node-type.js';
import { type Paging, pageOfList, type Rows, rowsOf, storeQuery } from '../../graph/paging.js';

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

/** Of a recording: also polls of its live video, because those of version 0.1 are listed there only. */
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
