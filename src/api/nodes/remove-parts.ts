/** What hangs on a video, deleted page by page: an interrupted deletion can be asked for again. */
import type { StoredObject, Write } from '../../ports.js';
import type { Call } from '../graph/call.js';
import { removeComments } from './comment.js';
import { type Poll, pollRemoval } from './poll.js';

const PAGE = 200;

export async function removeParts(call: Call, videoId: string): Promise<void> {
  await removeComments(call, videoId);
  await removeListed(call, videoId, 'polls', (poll) => pollRemoval(poll as Poll));
  for (const edge of ['thumbnails', 'shared_posts']) {
    await removeListed(call, videoId, edge, ({ id }) => [{ op: 'delete', id }]);
  }
  await removeTags(call, videoId);
  await call.services.uploads?.removeFiles(videoId);
}

export async function removeListed(
  call: Call,
  owner: string,
  edge: string,
  removal: (row: StoredObject) => Write[],
): Promise<void> {
  const { store } = call.services;
  for (;;) {
    const page = await store.page({ owner, edge }, { limit: PAGE });
    if (page.entries.length === 0) return;
    const rows = await store.getMany(page.entries.map((entry) => entry.member));
    await store.commit([
      ...rows.flatMap((row) => (row === undefined ? [] : removal(row))),
      ...page.entries.map(({ member }): Write => ({ op: 'edgeRemove', owner, edge, member })),
    ]);
  }
}

async function removeTags(call: Call, videoId: string): Promise<void> {
  const { store } = call.services;
  const tagged = await store.page({ owner: videoId, edge: 'tags' }, { limit: 1000 });
  await store.commit(
    tagged.entries.map(
      ({ member }): Write => ({ op: 'edgeRemove', owner: member, edge: 'tagged_videos', member: videoId }),
    ),
  );
}
