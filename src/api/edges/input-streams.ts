/** `/{live-video-id}/input_streams`. */
import { z } from 'zod';
import type { LiveVideoData } from '../../broadcast/documents.js';
import { parameterError } from '../../spec/service-errors.js';
import { defineEdge } from '../graph/edge.js';
import { pageOfList } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { type InputStream, type InputStreamData, inputStreamsOf, inputStreamType } from '../resources/input-stream.js';
import { editObject } from '../resources/shared/edit.js';

export const inputStreamsEdge = defineEdge<LiveVideoData, z.ZodObject>({
  row: inputStreamType,
  params: z.object({}),
  follows: ['inputStreamIds'],
  read: async ({ call, owner, paging }) =>
    pageOfList<InputStream>(await inputStreamsOf(owner, call), (row) => row.id, paging),
});

/** The backup, once, and only before data flows. */
export const createInputStream = operation<LiveVideoData, z.ZodObject>(z.object({}), async (call, live) => {
  const id = call.services.ids.next();
  const data: InputStreamData = { liveVideoId: live.id, streamId: '1' };
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  await editObject<LiveVideoData>(
    call,
    live.id,
    (current) => {
      if (current.stream !== 'waiting') throw parameterError('Input streams are made before data flows');
      const ids = Array.isArray(current.inputStreamIds) ? current.inputStreamIds : [];
      if (ids.length > 1) throw parameterError('A live video has at most two input streams');
      return { ...current, inputStreamIds: [...ids, id] };
    },
    [{ op: 'put', object: { id, kind: 'input_stream', ...at, data }, expect: 0 }],
  );
  return { body: { id } };
});
