/** Deletes a video and its parts page by page. An interrupted deletion can be repeated. */
import type { VideoData } from '../../lifecycle/documents.js';
import {
  chargeWrites,
  edgeOf,
  matchRemoval,
  ownedVideos,
  referenceRemoval,
  retryConflicts,
  type StoredObject,
  type Write,
} from '../../ports/index.js';
import type { Services } from '../graph/call.js';
import { removeComments } from './comment.js';
import type { Poll } from './poll.js';
import { pollRemoval } from './poll.js';
import { buryAll } from './tombstone.js';

const PAGE = 200;

/** The services that deletion needs, from a call or elsewhere. */
export interface Remover {
  readonly services: Pick<Services, 'store' | 'uploads' | 'clock'>;
}

/** The audit line of the deletion of this video. */
export type LineOf = (video: StoredObject<VideoData>) => Write;

/** Deletes the parts of the video first, then the video. */
export async function removeVideo(call: Remover, video: StoredObject<VideoData>, lineOf: LineOf): Promise<void> {
  await removeParts(call, video.id, lineOf);
  const { store } = call.services;
  const { ownerId, ownerKind, crosspostOf, liveVideoId } = video.data;
  const broadcast = liveVideoId === undefined ? {} : { liveVideoId };
  const stone = { was: 'video', ownerId, ownerKind, wasPublic: false, ...broadcast } as const;
  await buryAll(call.services, [{ id: video.id, stone }]);
  const member = video.id;
  const unlisted: Write[] = [
    { op: 'edgeRemove', ...edgeOf(ownerId, 'videos'), member },
    { op: 'edgeRemove', ...ownedVideos(ownerId), member },
    ...referenceRemoval(ownerId, member),
    ...(crosspostOf === undefined
      ? []
      : [{ op: 'edgeRemove', ...edgeOf(crosspostOf, 'crosspost_copies'), member } as const]),
  ];
  await retryConflicts(async () => {
    // Conditional on the version: of two concurrent deletions only one releases the quota.
    const current = await store.objects.get<VideoData>(member);
    const removal: Write[] =
      current === undefined
        ? []
        : [
            { op: 'delete', id: member, expect: current.version },
            ...chargeWrites(ownerId, -(current.data.chargedBytes ?? 0)),
          ];
    await store.objects.commit([...removal, ...unlisted, lineOf(video)]);
  });
}

export async function removeParts(call: Remover, videoId: string, lineOf: LineOf): Promise<void> {
  await removeCopies(call, videoId, lineOf);
  await removeComments(call, videoId);
  await removeListed(call, videoId, 'polls', (poll) => pollRemoval(poll as Poll));
  for (const edge of ['thumbnails', 'shared_posts']) {
    await removeListed(call, videoId, edge, ({ id }) => [{ op: 'delete', id }]);
  }
  await removeTags(call, videoId);
  await removeMatches(call, videoId);
  await call.services.uploads?.removeFiles(videoId);
}

export async function removeListed(
  call: Remover,
  owner: string,
  edge: string,
  removal: (row: StoredObject) => Write[],
): Promise<void> {
  const { store } = call.services;
  for (;;) {
    const page = await store.objects.page({ owner, edge }, { limit: PAGE });
    if (page.entries.length === 0) return;
    const rows = await store.objects.getMany(page.entries.map((entry) => entry.member));
    await store.objects.commit([
      ...rows.flatMap((row) => (row === undefined ? [] : removal(row))),
      ...page.entries.map(({ member }): Write => ({ op: 'edgeRemove', owner, edge, member })),
    ]);
  }
}

/** Deletes cross-posted copies, which play this video's file. */
async function removeCopies(call: Remover, videoId: string, lineOf: LineOf): Promise<void> {
  const { store } = call.services;
  for (;;) {
    const page = await store.objects.page(edgeOf(videoId, 'crosspost_copies'), { limit: PAGE });
    if (page.entries.length === 0) return;
    for (const copy of await store.objects.getMany(page.entries.map((entry) => entry.member))) {
      if (copy !== undefined) await removeVideo(call, copy as StoredObject<VideoData>, lineOf);
    }
    await store.objects.commit(
      page.entries.map(({ member }): Write => ({ op: 'edgeRemove', ...edgeOf(videoId, 'crosspost_copies'), member })),
    );
  }
}

/** Its matches go with it, from the operator's list too. */
export async function removeMatches({ services: { store } }: Remover, subjectId: string): Promise<void> {
  for (;;) {
    const { entries } = await store.objects.page(edgeOf(subjectId, 'copyright_matches'), { limit: PAGE });
    if (entries.length === 0) return;
    await store.objects.commit(entries.flatMap(({ member }) => matchRemoval(member, subjectId)));
  }
}

async function removeTags(call: Remover, videoId: string): Promise<void> {
  const { store } = call.services;
  const tagged = await store.objects.page(edgeOf(videoId, 'tags'), { limit: 1000 });
  await store.objects.commit(
    tagged.entries.map(
      ({ member }): Write => ({ op: 'edgeRemove', ...edgeOf(member, 'tagged_videos'), member: videoId }),
    ),
  );
}
