/** The two input streams of a broadcast, as both pages show them side by side. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView, HealthView, InputView } from '../../view/protocol.js';
import { isOpen } from './feed-state.js';
import { hertz, kbps, number, plural } from './format.js';

export interface InputSeen {
  readonly id: string;
  readonly name: 'Primary' | 'Backup';
  readonly state: 'On air' | 'Stands by' | 'Not connected';
  /** Stream as sent. */
  readonly settings: string;
  /** Open records; '' while it is not connected. */
  readonly health: string;
  /** Asked before it is put on air; undefined: it cannot be. */
  readonly question: string | undefined;
}

const NAMES = ['Primary', 'Backup'] as const;

/** Undefined for a broadcast with one input stream. */
export function inputsOf(
  { input_streams: ids }: BroadcastView,
  health: HealthView | undefined,
): readonly InputSeen[] | undefined {
  if (ids === undefined) return undefined;
  const connected = health?.connected === true ? (health.inputs ?? []) : [];
  return ids.slice(0, NAMES.length).map((id, index) => seen(NAMES[index] ?? 'Backup', id, connected));
}

function seen(name: InputSeen['name'], id: string, connected: readonly InputView[]): InputSeen {
  const own = connected.find((each) => each.id === id);
  if (own === undefined)
    return {
      id,
      name,
      state: 'Not connected',
      settings: 'No encoder sends with its key.',
      health: '',
      question: undefined,
    };
  const open = own.open_errors.length;
  return {
    id,
    name,
    state: own.on_air ? 'On air' : 'Stands by',
    settings: settingsOf(own),
    health: open === 0 ? 'No open error' : plural(open, 'open error'),
    question: own.on_air ? undefined : questionOf(name, connected),
  };
}

function settingsOf({
  encoder,
  width,
  height,
  frame_rate: rate,
  video_bitrate_kbps: bitrate,
  sample_rate,
}: InputView): string {
  return [
    encoder,
    width === undefined || height === undefined ? '' : `${width}×${height}`,
    rate === undefined ? '' : `${number(rate, 1)} fps`,
    bitrate === undefined ? '' : kbps(bitrate),
    sample_rate === undefined ? '' : hertz(sample_rate),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Says what will happen. */
function questionOf(name: InputSeen['name'], connected: readonly InputView[]): string {
  const other = name === 'Primary' ? 'backup' : 'primary';
  const stays = connected.some(({ on_air }) => on_air)
    ? ` The ${other} encoder then stands by, and stays connected.`
    : '';
  return `Viewers, recording and forwards switch to it at its next key frame.${stays}`;
}

/** Names the input stream that a record is about; '' where there is one. */
export function inputNames({ input_streams: ids = [] }: BroadcastView): (record: ErrorView) => string {
  return ({ input_stream: id }) => (id === undefined ? undefined : NAMES[ids.indexOf(id)]) ?? '';
}

/** ID of the input stream on air; undefined where there is one. */
export function onAirOf(health: HealthView | undefined): string | undefined {
  return health?.inputs?.find(({ on_air }) => on_air)?.id;
}

/** While a broadcast runs, errors of the input stream that stands by are warnings to it. */
export function withStandbyLowered(records: Iterable<ErrorView>, onAir: string | undefined): readonly ErrorView[] {
  if (onAir === undefined) return [...records];
  return [...records].map((record) => {
    const isOfStandby = record.input_stream !== undefined && record.input_stream !== onAir;
    return isOfStandby && isOpen(record) && record.severity === 'error' ? { ...record, severity: 'warning' } : record;
  });
}
