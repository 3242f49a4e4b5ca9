/** docs/lifecycle.md, from the table that the server runs by: what is drawn is what happens. */
import type { BroadcastStatus, LiveVideoData } from './documents.js';
import { advance, type LifecycleInput, moves } from './lifecycle.js';

const SAMPLE: LiveVideoData = {
  ownerId: '1',
  ownerKind: 'page',
  videoId: '2',
  status: 'UNPUBLISHED',
  goLiveOnData: false,
  keyVersion: 1,
  stopOnDeleteStream: false,
  stream: 'connected',
  plannedStartMs: 5,
};

interface Condition {
  readonly says: string;
  readonly state: Partial<LiveVideoData>;
}

const ALWAYS: readonly Condition[] = [{ says: '', state: {} }];

/** Where the outcome of an input depends on more than the status. */
const CONDITIONS: Partial<Record<LifecycleInput['type'], readonly Condition[]>> = {
  'valid-data': [
    { says: 'preview', state: {} },
    { says: 'LIVE_NOW was asked for', state: { goLiveOnData: true } },
  ],
  unpublish: [
    { says: '', state: {} },
    { says: 'stop_on_delete_stream', state: { stopOnDeleteStream: true } },
  ],
  'go-live': [
    { says: 'data flows', state: {} },
    { says: 'no data yet', state: { stream: 'waiting' } },
  ],
  deadline: [
    { says: 'connected', state: {} },
    { says: 'interrupted', state: { stream: 'interrupted' } },
    { says: 'nothing came', state: { stream: 'waiting' } },
  ],
};

const FIELDS = {
  wallMs: 10,
  graceMs: 60_000,
  dataFlows: true,
  plannedStartMs: 20,
  reason: { code: 6501, type: 'DURATION_EXCEEDED', text: '' },
};

interface Row {
  readonly from: BroadcastStatus;
  readonly input: string;
  readonly condition: string;
  readonly to: BroadcastStatus;
  readonly stream: string;
  readonly effects: string;
}

function rows(): Row[] {
  return moves().flatMap(({ input, from }) =>
    (CONDITIONS[input] ?? ALWAYS).flatMap(({ says, state }) => {
      const before: LiveVideoData = { ...SAMPLE, status: from, ...state };
      // Every input takes its own part of these fields.
      const step = advance(before, { type: input, ...FIELDS } as LifecycleInput);
      if (step === undefined) return [];
      const effects = step.effects.map((effect) =>
        effect.effect === 'deadline' ? (effect.wallMs === undefined ? 'no deadline' : 'deadline set') : effect.effect,
      );
      const { status: to, stream } = step.state;
      return [{ from, input, condition: says, to, stream, effects: effects.join(', ') }];
    }),
  );
}

/** The whole document. */
export function lifecycleDocument(): string {
  const all = rows();
  const arrows = new Set(
    all
      .filter((row) => row.from !== row.to)
      .map((row) => `    ${row.from} --> ${row.to}: ${row.input}${row.condition && ` (${row.condition})`}`),
  );
  return [
    '# The life of a broadcast',
    '',
    'Made from the table in `src/broadcast/lifecycle.ts`; a test fails when the two differ.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '    [*] --> UNPUBLISHED: created',
    '    [*] --> SCHEDULED_UNPUBLISHED: created with a planned start',
    ...arrows,
    '```',
    '',
    'LIVE_NOW is asked for; the status reads LIVE only once valid data has arrived. Beside the status stands the stream:',
    '`waiting`, `connected`, `interrupted` (the grace time runs) or `ended`. A move that is not in the table is refused with',
    'error 100, and a publish with `NetStream.Publish.Rejected`.',
    '',
    '| Status | Input | When | New status | Stream | What follows |',
    '|---|---|---|---|---|---|',
    ...all.map(
      (row) => `| ${row.from} | ${row.input} | ${row.condition} | ${row.to} | ${row.stream} | ${row.effects} |`,
    ),
    '',
  ].join('\n');
}
