/** Comments, reactions and polls, published on the bus to followers of a broadcast. */
import { TOPIC } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';

export interface Engagement {
  /** `moderation`: a comment was changed or deleted. `poll`: a poll was changed, or has a vote. */
  readonly what: 'comment' | 'reaction' | 'moderation' | 'poll';
  readonly videoId: string;
  readonly fromId: string;
  readonly atMs: number;
  /** Comments. */
  readonly id?: string;
  readonly message?: string;
  /** Reactions. */
  readonly type?: string;
}

/** Tells the live feed that its readers should read the comments or polls again. */
export function announce(call: Call, what: 'moderation' | 'poll', videoId: string): void {
  const engagement: Engagement = { what, videoId, fromId: call.viewer?.ownerId ?? '', atMs: call.nowMs };
  call.services.store.bus.publish(TOPIC.engagement, engagement);
}
