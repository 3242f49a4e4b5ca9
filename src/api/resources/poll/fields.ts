/** Polls and their options; the actions that move a poll; votes. */
import { z } from 'zod';
import { ConflictError, type EdgeName, type StoredObject, type Write } from '../../../ports/index.js';
import { parameterError } from '../../../spec/service-errors.js';
import { notPermitted } from '../../access/faults.js';
import { type Call, SUCCESS } from '../../graph/call.js';
import { defineNodeType, type Field } from '../../graph/node-type.js';
import { operation } from '../../graph/registry.js';
import { bool, oneOf } from '../../params/kinds.js';
import { editObject } from '../shared/edit.js';

export type PollStatus = 'closed' | 'voting_open' | 'results_open';

export interface PollData {
  /** The live video or video that it was made on. */
  readonly rootId: string;
  readonly ownerId: string;
  readonly question: string;
  readonly status: PollStatus;
  readonly optionIds: readonly string[];
  readonly showResults: boolean;
  readonly showGradient: boolean;
  readonly defaultOpen: boolean;
  readonly closeAfterVoting: boolean;
  /** The Video that it was attached to as well. */
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
    id: { type: 'numeric string', description: 'The poll.', isDefault: true, read: (poll) => poll.id },
    question: { type: 'string', description: 'What is asked.', isDefault: true, read: (poll) => poll.data.question },
    status: {
      type: 'closed, voting_open or results_open',
      description: 'Its state.',
      isDefault: true,
      read: (poll) => poll.data.status,
    },
    show_results: flag('Voters see the results.', (poll) => poll.data.showResults),
    show_gradient: flag('A gradient behind it.', (poll) => poll.data.showGradient),
    default_open: flag('Open from the start.', (poll) => poll.data.defaultOpen),
    close_after_voting: flag('Hidden from who has voted.', (poll) => poll.data.closeAfterVoting),
  },
});

/** Counts are for managers, and for all once results are shown. */
async function mayCount(option: PollOption, call: Call): Promise<boolean> {
  const poll = (await call.loader.load(option.data.pollId)) as Poll | undefined;
  if (poll === undefined) return false;
  return poll.data.status === 'results_open' || poll.data.showResults || call.access.manages(poll.data.ownerId);
}

export const pollOptionType = defineNodeType<PollOption>({
  typeName: 'VideoPollOption',
  node: 'poll_option',
  idOf: (option) => option.id,
  fields: {
    id: { type: 'numeric string', description: 'The option.', isDefault: true, read: (option) => option.id },
    text: { type: 'string', description: 'Its text.', isDefault: true, read: (option) => option.data.text },
    order: { type: 'int', description: 'Its place, from 0.', read: (option) => option.data.order },
    is_correct: {
      type: 'bool',
      description: 'The right answer, once results are shown.',
      read: async (option, call) => ((await mayCount(option, call)) ? option.data.isCorrect : undefined),
    },
    total_votes: {
      type: 'int',
      description: 'Votes for it.',
      counts: { counter: 'votes' },
      follows: ['pollId'],
      read: async (option, call) =>
        (await mayCount(option, call)) ? call.loader.counter(option.id, 'votes') : undefined,
    },
  },
});

const ACTIONS = ['SHOW_VOTING', 'SHOW_RESULTS', 'CLOSE', 'ATTACH_TO_VIDEO', 'DELETE_POLL'] as const;

const updateParams = z.object({
  action: oneOf(ACTIONS),
  show_results: bool().optional(),
  show_gradient: bool().optional(),
  default_open: bool().optional(),
  close_after_voting: bool().optional(),
});

/** From which states an action that moves the poll is possible, and where it leads. */
const MOVES: Readonly<
  Record<'SHOW_VOTING' | 'SHOW_RESULTS' | 'CLOSE', { from: readonly PollStatus[]; to: PollStatus }>
> = {
  SHOW_VOTING: { from: ['closed', 'voting_open', 'results_open'], to: 'voting_open' },
  SHOW_RESULTS: { from: ['voting_open', 'results_open'], to: 'results_open' },
  CLOSE: { from: ['closed', 'voting_open', 'results_open'], to: 'closed' },
};

export const updatePoll = operation<PollData, typeof updateParams>(updateParams, async (call, poll, params) => {
  const { action } = params;
  if (action === 'DELETE_POLL') {
    await call.services.store.objects.commit(pollRemoval(poll));
    return SUCCESS;
  }
  const attached = action === 'ATTACH_TO_VIDEO' ? await videoToAttachTo(call, poll) : undefined;
  await editObject<PollData>(
    call,
    poll.id,
    (data) => ({
      ...data,
      ...(params.show_results === undefined ? {} : { showResults: params.show_results }),
      ...(params.show_gradient === undefined ? {} : { showGradient: params.show_gradient }),
      ...(params.default_open === undefined ? {} : { defaultOpen: params.default_open }),
      ...(params.close_after_voting === undefined ? {} : { closeAfterVoting: params.close_after_voting }),
      ...(action === 'ATTACH_TO_VIDEO'
        ? { attachedTo: attached ?? data.rootId }
        : { status: moved(data.status, action) }),
    }),
    attached === undefined
      ? []
      : [{ op: 'edgeAdd', owner: attached, edge: 'polls', member: poll.id, score: poll.createdMs }],
  );
  return SUCCESS;
});

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
  if (!/^(LIVE_STOPPED|PROCESSING|VOD)$/.test(status)) throw parameterError('The broadcast is not recorded yet');
  return videoId;
}

const PAGE = 100;

/** Polls that are attached to the recording go on with it when their live video goes. */
export async function movePollsToVideo(call: Call, liveVideoId: string): Promise<void> {
  const edge = { owner: liveVideoId, edge: 'polls' };
  let after: string | undefined;
  for (;;) {
    const page = await call.services.store.objects.page(edge, {
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { member } of page.entries) await moveToVideo(call, member, edge);
    after = page.entries[page.entries.length - 1]?.cursor;
    if (!page.hasNext || after === undefined) return;
  }
}

async function moveToVideo(call: Call, pollId: string, from: EdgeName): Promise<void> {
  const poll = await call.services.store.objects.get<PollData>(pollId);
  const rootId = poll?.data.attachedTo;
  if (poll === undefined || rootId === undefined) return;
  for (const id of poll.data.optionIds) await editObject<PollOptionData>(call, id, (data) => ({ ...data, rootId }));
  await editObject<PollData>(call, pollId, ({ attachedTo: _, ...data }) => ({ ...data, rootId }), [
    { op: 'edgeRemove', ...from, member: pollId },
  ]);
}

/** With its options and its places in lists; the votes go with the poll that they name. */
export function pollRemoval(poll: Poll): Write[] {
  const { rootId, attachedTo, optionIds } = poll.data;
  return [
    { op: 'delete', id: poll.id },
    ...optionIds.map((id): Write => ({ op: 'delete', id })),
    { op: 'edgeRemove', owner: rootId, edge: 'polls', member: poll.id },
    ...(attachedTo === undefined
      ? []
      : [{ op: 'edgeRemove', owner: attachedTo, edge: 'polls', member: poll.id } as const]),
  ];
}

/** One vote a person and poll. */
export const vote = operation<PollOptionData, z.ZodObject>(z.object({}), async (call, option) => {
  const poll = (await call.loader.load(option.data.pollId)) as Poll | undefined;
  if (poll?.data.status !== 'voting_open')
    throw parameterError(`The poll is ${poll?.data.status ?? 'gone'}; votes are not taken`);
  const voter = call.viewer;
  if (!voter) throw notPermitted('A vote needs a voter.');
  const id = `vote:${poll.id}:${voter.ownerId}`;
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  try {
    await call.services.store.objects.commit([
      { op: 'put', object: { id, kind: 'setting', ...at, data: { optionId: option.id } }, expect: 0 },
      {
        op: 'edgeAdd',
        owner: poll.id,
        edge: 'votes',
        member: voter.ownerId,
        score: call.nowMs,
        value: { option: option.id },
      },
      { op: 'count', owner: option.id, counter: 'votes', by: 1 },
    ]);
  } catch (error) {
    if (error instanceof ConflictError) throw parameterError('This person has voted in the poll already');
    throw error;
  }
  return SUCCESS;
});
