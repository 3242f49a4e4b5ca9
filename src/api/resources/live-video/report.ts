/** `GET /{live-video-id}/report`: a whole session, running or ended, in one answer. */
import { z } from 'zod';
import type { LiveVideoData } from '../../../lifecycle/documents.js';
import { type StreamHealth, VOLATILE } from '../../../ports/index.js';
import { SERVICE_CODES } from '../../../rules/registry/service-codes.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import type { Call } from '../../graph/call.js';
import { operation } from '../../graph/registry.js';
import { graphTime } from '../../graph/values.js';
import { recordRow, recordView } from '../errors.js';
import { healthView } from '../input-stream.js';
import type { LiveVideo } from '../shared/documents.js';
import { healthStatus } from './health-status.js';
import { causesOf, figuresOf, ruleReports, type Span } from './report-figures.js';

/** Records of a report: about half of the largest answer. `records.total_count` tells whether there are more. */
const RECORDS_MAX = 5_000;
const RECORDS_PER_READ = 500;

export const sessionReport = operation<LiveVideoData, z.ZodObject>(z.object({}), async (call, live) => {
  const { services } = call;
  await services.recordsStored?.(live.id);
  const [status, records, counts, stream, values] = await Promise.all([
    healthStatus(live, call),
    allRecords(call, live.id),
    services.store.records.counts(live.id),
    streamOf(call, live.id),
    services.observedValues?.(live.id),
  ]);
  const span = spanOf(live, call.nowMs);
  const subject = { broadcastId: live.id, videoId: live.data.videoId };
  const views = records.map((record) => recordView(recordRow(record, subject), call));
  const body = {
    id: live.id,
    title: live.data.title,
    status: live.data.status,
    health_status: status,
    video_id: live.data.videoId,
    from: { id: live.data.ownerId },
    times: timesOf(live, span, call),
    end_reason: live.data.endReason,
    health: healthView(stream),
    settings: settingsOf(stream),
    encoder: stream?.encoder === '' ? undefined : stream?.encoder,
    connection: connectionOf(live, stream, records),
    averages: values === undefined ? undefined : figuresOf(values),
    rules: ruleReports(records, live.data.judgedCodes ?? [], span),
    causes: causesOf(records),
    records: {
      total_count: counts.total,
      open_count: counts.open,
      uncounted: counts.uncounted,
      data: views,
    },
  };
  call.work.addBytes(Buffer.byteLength(JSON.stringify(body)));
  return { body };
});

/** Oldest first. */
async function allRecords(call: Call, id: string): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  let beforeSequence = 0;
  while (found.length < RECORDS_MAX) {
    call.work.check();
    const page = await call.services.store.records.page(id, { limit: RECORDS_PER_READ, beforeSequence });
    found.push(...[...page.records].reverse());
    const newest = page.records[0];
    if (newest === undefined || !page.hasPrevious) break;
    beforeSequence = newest.sequence;
  }
  return found;
}

/** The running stream, or the last one as it ended. */
async function streamOf(call: Call, id: string): Promise<StreamHealth | undefined> {
  const running = await call.services.broadcasts.health(id);
  if (running?.connected) return running;
  return ((await call.services.store.volatile.get(VOLATILE.lastStream(id))) as StreamHealth | undefined) ?? running;
}

function spanOf({ data }: LiveVideo, nowMs: number): Span | undefined {
  const startMs = data.broadcastStartMs;
  return startMs === undefined ? undefined : { startMs, endMs: Math.max(startMs, data.endedMs ?? nowMs) };
}

function timesOf({ createdMs, data }: LiveVideo, span: Span | undefined, call: Call): object {
  return {
    creation_time: graphTime(createdMs, call),
    planned_start_time: graphTime(data.plannedStartMs, call),
    broadcast_start_time: graphTime(data.broadcastStartMs, call),
    end_time: graphTime(data.endedMs, call),
    duration_ms: span === undefined ? 0 : span.endMs - span.startMs,
  };
}

function settingsOf(stream: StreamHealth | undefined): object | undefined {
  if (stream === undefined) return undefined;
  return {
    video_codec: stream.videoCodec,
    h264_profile_idc: stream.profileIdc,
    h264_level_idc: stream.levelIdc,
    width: stream.width,
    height: stream.height,
    frame_rate_class: stream.frameRateClass,
    audio_codec: stream.audioCodec,
    sample_rate: stream.sampleRate,
    channels: stream.channels,
  };
}

function connectionOf({ data }: LiveVideo, stream: StreamHealth | undefined, records: readonly StoredRecord[]): object {
  const times = (code: number): number =>
    records.reduce((sum, record) => sum + (record.error_code === code ? record.count : 0), 0);
  return {
    stream_state: data.stream,
    stream_time_ms: stream?.streamTimeMs,
    bytes_received: stream?.bytesReceived,
    interruptions: times(SERVICE_CODES.streamInterrupted),
    take_overs: times(SERVICE_CODES.streamTakenOver),
    refused_publishes: times(SERVICE_CODES.publishRefused),
  };
}
