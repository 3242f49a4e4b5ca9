/** Changes of the order in which a fixture sends its messages. */
import { isHeader } from './fixture-enhance.js';
import type { SynthMessage } from './synth-stream.js';

export interface Timed extends SynthMessage {
  readonly atMs: number;
}

export type Step = (messages: Iterable<Timed>) => Iterable<Timed>;

export function* inBlocks(
  messages: Iterable<Timed>,
  { kind, ms }: { readonly kind: 'video' | 'audio'; readonly ms: number },
): Generator<Timed> {
  let held: Timed[] = [];
  for (const message of messages) {
    if (message.kind !== kind || isHeader(message)) yield message;
    else held.push(message);
    const [first] = held;
    if (first === undefined || message.atMs - first.atMs < ms) continue;
    yield* held;
    held = [];
  }
  yield* held;
}

export function swap(what: { readonly kind: 'video' | 'audio'; readonly at_ms: number }): Step {
  return function* (messages) {
    let held: Timed | undefined;
    let done = false;
    for (const message of messages) {
      if (!done && held === undefined && message.kind === what.kind && message.atMs >= what.at_ms) {
        held = message;
        continue;
      }
      yield message;
      if (held === undefined || message.kind !== what.kind) continue;
      yield held;
      held = undefined;
      done = true;
    }
    if (held !== undefined) yield held;
  };
}
