/** The body of a webhook delivery, as in the Graph API: `{ object, entry: [{ id, time, changes }] }`. */
import type { OwnerKind } from '../lifecycle/documents.js';
import type { StateMessage } from '../ports/index.js';
import type { StoredRecord } from '../spec/error-record.js';
import { errorView, type RecordSubject } from '../spec/error-view.js';

export interface WebhookEvent {
  /** Id common to every attempt, so that a receiver can recognize repeats. */
  readonly deliveryId: string;
  readonly atMs: number;
  readonly change: { readonly field: 'live_videos' | 'live_video_errors'; readonly value: object };
}

export function stateEvent(message: StateMessage): WebhookEvent {
  return {
    deliveryId: `${message.liveVideoId}-s-${message.atMs}-${message.status}-${message.stream}`,
    atMs: message.atMs,
    change: {
      field: 'live_videos',
      value: { id: message.liveVideoId, status: message.status, stream: message.stream },
    },
  };
}

export function recordEvent(liveVideoId: string, record: StoredRecord, subject: RecordSubject): WebhookEvent {
  return {
    deliveryId: `${liveVideoId}-e-${record.revision}`,
    atMs: record.cleared_time_ms ?? record.timestampMs,
    change: { field: 'live_video_errors', value: { id: liveVideoId, error: errorView(record, subject) } },
  };
}

export function webhookBody(event: WebhookEvent, owner: { id: string; kind: OwnerKind | undefined }): string {
  const time = Math.floor(event.atMs / 1000);
  return JSON.stringify({
    object: owner.kind ?? 'page',
    entry: [{ id: owner.id, time, changes: [event.change] }],
  });
}
