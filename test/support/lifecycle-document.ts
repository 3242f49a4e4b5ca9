/** Generates docs/lifecycle.md from the transition table that the server runs. */
import type { BroadcastStatus, LiveVideoData } from '../../src/lifecycle/documents.js';
import { advance, LIFECYCLE_TABLE, type LifecycleInput } from '../../src/lifecycle/lifecycle.js';

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
  readonly label: string;
  readonly state: Partial<LiveVideoData>;
}

const ALWAYS: readonly Condition[] = [{ label: '', state: {} }];

/** Inputs whose outcome depends on more than the status. */
const CONDITIONS: Partial<Record<LifecycleInput['type'], readonly Condition[]>> = {
  'valid-data': [
    { label: 'preview', state: {} },
    { label: 'LIVE_NOW requested', state: { goLiveOnData: true } },
  ],
  unpublish: [
    { label: '', state: {} },
    { label: 'stop_on_delete_stream', state: { stopOnDeleteStream: true } },
  ],
  'go-live': [
    { label: 'data flows', state: {} },
    { label: 'no data yet', state: { stream: 'waiting' } },
  ],
  deadline: [
    { label: 'connected', state: {} },
    { label: 'interrupted', state: { stream: 'interrupted' } },
    { label: 'no stream', state: { stream: 'waiting' } },
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

/** Every transition of the table. */
export function moves(): readonly { readonly input: LifecycleInput['type']; readonly from: BroadcastStatus }[] {
  return (Object.keys(LIFECYCLE_TABLE) as LifecycleInput['type'][]).flatMap((input) =>
    (Object.keys(LIFECYCLE_TABLE[input]) as BroadcastStatus[]).map((from) => ({ input, from })),
  );
}

function rows(): Row[] {
  return moves().flatMap(({ input, from }) =>
    (CONDITIONS[input] ?? ALWAYS).flatMap(({ label, state }) => {
      const before: LiveVideoData = { ...SAMPLE, status: from, ...state };
      // Each input uses its own subset of these fields.
      const step = advance(before, { type: input, ...FIELDS } as LifecycleInput);
      if (step === undefined) return [];
      const effects = step.effects.map((effect) =>
        effect.effect === 'deadline' ? (effect.wallMs === undefined ? 'no deadline' : 'deadline set') : effect.effect,
      );
      const { status: to, stream } = step.state;
      return [{ from, input, condition: label, to, stream, effects: effects.join(', ') }];
    }),
  );
}

/** `both`: live video and Video; `the live video`: the Video stays with its recording; else the subcode of the refusal. */
export type Deletion = 'both' | 'the live video' | 'LIVE_VIDEO__DELETE_FAILED' | 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED';

export interface DeletionRow {
  readonly state: string;
  /** By DELETE /{live-video-id}. */
  readonly live: Deletion;
  /** By DELETE /{video-id}, of the Video of the broadcast. */
  readonly video: Deletion;
}

export const DELETIONS: readonly DeletionRow[] = [
  { state: 'UNPUBLISHED', live: 'both', video: 'both' },
  { state: 'UNPUBLISHED, with a preview', live: 'both', video: 'both' },
  { state: 'SCHEDULED_UNPUBLISHED', live: 'both', video: 'both' },
  { state: 'SCHEDULED_LIVE', live: 'both', video: 'both' },
  { state: 'SCHEDULED_CANCELED', live: 'both', video: 'both' },
  { state: 'SCHEDULED_EXPIRED', live: 'both', video: 'both' },
  { state: 'LIVE', live: 'the live video', video: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED' },
  { state: 'LIVE, interrupted', live: 'the live video', video: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED' },
  { state: 'LIVE_STOPPED', live: 'the live video', video: 'both' },
  { state: 'PROCESSING', live: 'LIVE_VIDEO__DELETE_FAILED', video: 'LIVE_VIDEO__DELETE_FAILED' },
  { state: 'VOD', live: 'the live video', video: 'both' },
  { state: 'LIVE, not recorded', live: 'both', video: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED' },
  { state: 'LIVE_STOPPED, not recorded', live: 'both', video: 'both' },
];

/** The complete document, ending in a newline. */
export function lifecycleDocument(): string {
  const all = rows();
  const arrows = new Set(
    all
      .filter((row) => row.from !== row.to)
      .map((row) => `    ${row.from} --> ${row.to}: ${row.input}${row.condition && ` (${row.condition})`}`),
  );
  return [
    '# Broadcast lifecycle',
    '',
    'Which states does a broadcast have, what moves it from one to the next, and what does each transition cause?',
    'Generated from the table in `src/lifecycle/lifecycle.ts`; a test fails when the two differ.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '    [*] --> UNPUBLISHED: created',
    '    [*] --> SCHEDULED_UNPUBLISHED: created with a planned start',
    ...arrows,
    '```',
    '',
    'A request for LIVE_NOW takes effect when valid data arrives; until then the status is not LIVE. The stream has a state of',
    'its own, independent of the status: `waiting`, `connected`, `interrupted` (during the grace period) or `ended`. A',
    'transition that is not in the table is rejected with error 100, and a publish with `NetStream.Publish.Rejected`.',
    '',
    '| Status | Input | Condition | New status | Stream | Effects |',
    '|---|---|---|---|---|---|',
    ...all.map(
      (row) => `| ${row.from} | ${row.input} | ${row.condition} | ${row.to} | ${row.stream} | ${row.effects} |`,
    ),
    '',
    '## Returning',
    '',
    'A publish with the key of the broadcast, or with the persistent key of its Page, continues it until the grace time is over, also',
    'across a restart. The end of the grace time is written under the lease of the stream key: a publish that was admitted before it',
    'continues the broadcast, and one that comes after it hears that the broadcast has ended or, with the key of a Page, opens the',
    'next live video. A Page has one next live video, however many publishes and starts meet. Only an end by the owner is called so.',
    '`scripts/restart-race.mjs` restarts a server as often as is wished and publishes at once.',
    '',
    '## Deleting',
    '',
    'What is deleted is what was asked for, and a recording is deleted only by the deletion of its Video. The states of a',
    'broadcast are here as its owner sees them; a test goes through every row on a running server.',
    '',
    '| State | DELETE /{live-video-id} deletes | DELETE /{video-id} deletes |',
    '|---|---|---|',
    ...DELETIONS.map(({ state, live, video }) => `| ${state} | ${deletionText(live)} | ${deletionText(video)} |`),
    '',
    'A broadcast that is not over is ended first, and its encoder is told that the live video was deleted. Where the Video stays,',
    'the answer names it: `{"success": true, "kept_video_id": "…"}`. Its recording is closed and processed as if the live video were',
    'there, and the polls of the broadcast move to it. A Video that no recording fills has nothing of its own and is deleted with its',
    'live video; that is so before LIVE and with `AIRLOCK_RECORD=off`. The deletion of a Video deletes its recording in every form, and',
    'the live video, which cannot be shown without it: `{"success": true, "deleted_live_video_id": "…"}`. A refusal changes nothing:',
    'LIVE_VIDEO__DELETE_FAILED is transient, and the same call succeeds when the recording is processed;',
    'LIVE_VIDEO__EDIT_API_NOT_ALLOWED holds until the broadcast ends. Error records stay readable for the former owner for 90 days.',
    '',
  ].join('\n');
}

function deletionText(deletion: Deletion): string {
  return /^LIVE_VIDEO__/.test(deletion) ? `nothing: ${deletion}` : deletion;
}
