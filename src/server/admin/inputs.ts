/** Administration of the input streams of a live video. */
import { auditWrite } from '../../api/access/audit.js';
import type { InputNumber, LiveVideoData } from '../../lifecycle/documents.js';
import { inputStreamOf, type StoredObject } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { type AdminActions, type AdminContext, text } from './context.js';

const WHO = 'command line';

export function inputActions(context: AdminContext): AdminActions {
  return {
    'live.inputs': (input) => list(context, text(input, 'id')),
    'live.put-on-air': (input) => putOnAir(context, text(input, 'id')),
  };
}

async function list(context: AdminContext, id: string): Promise<unknown> {
  const live = await loadLive(context, id);
  const { inputStreamIds = [] } = live.data;
  const rows = inputStreamIds.map((each, index) => rowOf(context, live, each, index === 0 ? '0' : '1'));
  return { input_streams: await Promise.all(rows) };
}

async function loadLive({ store }: AdminContext, id: string): Promise<StoredObject<LiveVideoData>> {
  const live = await store.objects.get<LiveVideoData>(id);
  if (live?.kind !== 'live_video') throw parameterError(`No live video has the id ${id}`);
  return live;
}

async function rowOf({ broadcasts }: AdminContext, live: StoredObject<LiveVideoData>, id: string, input: InputNumber) {
  const isAlone = inputStreamOf(live.data, '1') === undefined;
  const [onAir, own] = await Promise.all([
    broadcasts.health(live.id),
    isAlone ? broadcasts.health(live.id) : broadcasts.inputHealth(live.id, id),
  ]);
  const isConnected = own?.connected === true;
  return {
    id,
    input: input === '0' ? 'primary' : 'backup',
    on_air: isConnected && (isAlone || onAir?.inputStream === id),
    connected: isConnected,
    open_errors: isConnected ? own.openErrors.join(' ') : '',
    encoder: isConnected ? own.encoder : '',
    secure_stream_url: broadcasts.urls(live, input).secureStreamUrl,
  };
}

/** The switch follows with the next key frame of its encoder. */
async function putOnAir(context: AdminContext, inputStreamId: string): Promise<unknown> {
  const input = await context.store.objects.get<{ readonly liveVideoId: string }>(inputStreamId);
  if (input?.kind !== 'input_stream') throw parameterError(`No input stream has the id ${inputStreamId}`);
  const live = await loadLive(context, input.data.liveVideoId);
  const line = auditWrite(context, { action: 'live.put-on-air', who: WHO, target: live.id, owner: live.data.ownerId });
  await context.broadcasts.request(live.id, { type: 'put-on-air', inputStreamId }, [line]);
  return { success: true };
}
