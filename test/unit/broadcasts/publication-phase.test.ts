/** The state table of the end of a publish session. */
import {
  isActive,
  PUBLICATION_TABLE,
  type PublicationEvent,
  type PublicationPhase,
} from '../../../src/broadcasts/publication-phase.js';

const phases = Object.keys(PUBLICATION_TABLE) as PublicationPhase[];
const EVENTS: readonly PublicationEvent[] = ['judged-over', 'ended', 'gone', 'key-lost'];

/** The phase after these events; an event without a transition is ignored. */
const after = (...events: PublicationEvent[]): PublicationPhase =>
  events.reduce<PublicationPhase>((phase, event) => PUBLICATION_TABLE[phase][event] ?? phase, 'receiving');

test.each<[PublicationPhase, ...PublicationEvent[]]>([
  ['over', 'ended'],
  ['over', 'judged-over', 'ended'],
  ['left', 'gone'],
  ['left', 'judged-over', 'gone'],
  ['over', 'gone', 'ended'],
  ['over', 'judged-over', 'gone', 'ended'],
  ['superseded', 'key-lost'],
  ['superseded', 'judged-over', 'key-lost', 'ended', 'gone'],
  // Records that are still open belong to the next holder.
  ['superseded', 'gone', 'key-lost', 'ended'],
  ['over', 'ended', 'gone', 'judged-over'],
  // It must not overwrite what the next holder has saved.
  ['superseded', 'ended', 'gone', 'key-lost', 'judged-over'],
])('is %s after %s %s %s %s', (phase, ...events) => {
  expect(after(...events)).toBe(phase);
});

test('never returns to an earlier phase', () => {
  const reachable = (from: PublicationPhase): PublicationPhase[] =>
    EVENTS.flatMap((event) => PUBLICATION_TABLE[from][event] ?? []).flatMap((next) => [next, ...reachable(next)]);
  for (const phase of phases) expect(reachable(phase)).not.toContain(phase);
});

test('leaves every active phase on a disconnect, an end or a lost key', () => {
  for (const phase of phases.filter(isActive)) {
    for (const event of ['gone', 'ended', 'key-lost'] as const) {
      expect(isActive(PUBLICATION_TABLE[phase][event] ?? phase)).toBe(false);
    }
  }
});
