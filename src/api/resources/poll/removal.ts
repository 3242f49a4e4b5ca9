/** Polls that go with what they were made on, or stay with its recording. */

import { type EdgeName, edgeOf, type Write } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import { editObject } from '../shared/edit.js';
import type { Poll, PollData, PollOptionData } from './fields.js';

const PAGE = 100;

/** Polls that are attached to the recording go on with it when their live video goes. */
export async function movePollsToVideo(call: Call, liveVideoId: string): Promise<void> {
  const edge = edgeOf(liveVideoId, 'polls');
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
    { op: 'edgeRemove', ...edgeOf(rootId, 'polls'), member: poll.id },
    ...(attachedTo === undefined
      ? []
      : [{ op: 'edgeRemove', ...edgeOf(attachedTo, 'polls'), member: poll.id } as const]),
  ];
}
