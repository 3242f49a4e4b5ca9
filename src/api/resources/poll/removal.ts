/** Deletion of polls with their video, and transfer of polls to the recording. */

import { defined } from '../../../lib/objects.js';
import { type EdgeName, edgeOf, type Write } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import { editObject } from '../shared/edit.js';
import type { Poll, PollData, PollOptionData } from './fields.js';

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
