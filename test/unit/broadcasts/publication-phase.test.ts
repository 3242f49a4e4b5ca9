/** The table of how a stay ends. */
import {
  isHere,
  PUBLICATION_TABLE,
  type PublicationEvent,
  type PublicationPhase,
} from '../../../src/broadcasts/publication-phase.js';

const phases = Object.keys(PUBLICATION_TABLE) as PublicationPhase[];
const EVENTS: readonly PublicationEvent[] = ['judged-over', 'ended', 'gone', 'key-lost'];

/** Where these events lead; what has no move changes nothing. */
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
  // A lease that is found lost after the connection went is nobody's business any more.
  ['left', 'gone', 'key-lost'],
  ['over', 'ended', 'gone', 'key-lost', 'judged-over'],
])('%s after %s %s %s %s', (phase, ...events) => {
  expect(after(...events)).toBe(phase);
});

test('nothing comes back: no phase is reached from one that follows it', () => {
  const reachable = (from: PublicationPhase): PublicationPhase[] =>
    EVENTS.flatMap((event) => PUBLICATION_TABLE[from][event] ?? []).flatMap((next) => [next, ...reachable(next)]);
  for (const phase of phases) expect(reachable(phase)).not.toContain(phase);
});

test('from wherever the encoder is, its going and the end lead to where it is not', () => {
  for (const phase of phases.filter(isHere)) {
    for (const event of ['gone', 'ended', 'key-lost'] as const) {
      expect(isHere(PUBLICATION_TABLE[phase][event] ?? phase)).toBe(false);
    }
  }
});
