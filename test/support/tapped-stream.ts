/** A broadcast for taps that are opened without one: keeps what they tell it. */
import type { StreamHealth, TappedStream } from '../../src/ports/index.js';

export interface ToldStream extends TappedStream {
  readonly notes: { readonly code: number; readonly observed: string }[];
}

export function tappedStream(
  liveVideoId: string,
  over: { readonly hasStorage?: boolean; readonly health?: () => StreamHealth | undefined } = {},
): ToldStream {
  const notes: { code: number; observed: string }[] = [];
  return {
    liveVideoId,
    ownerId: '1',
    isResumed: false,
    passed: [],
    hasStorage: true,
    health: () => undefined,
    note: (code, observed) => void notes.push({ code, observed }),
    stopForCopyright: async () => undefined,
    notes,
    ...over,
  };
}
