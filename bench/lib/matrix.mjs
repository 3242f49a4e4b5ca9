// Which loads a run puts on the servers: a list of tables, each of loads that differ in one thing.
import { DEFAULTS } from './load.mjs';

const KB = 1024;

const named = (load) => {
  const full = { ...DEFAULTS, ...load };
  const how = full.mode === 'paced' ? `in real time, ${full.profile}` : 'as fast as they can';
  const watched = full.viewers > 0 ? `, ${full.viewers} viewers` : '';
  return { ...full, name: `${full.publishers} publishers ${how}, records of ${full.recordBytes / KB} KB${watched}` };
};

const table = (title, loads) => ({ title, loads: loads.map(named) });

/** A flood warms up sooner, and needs no longer than this. */
const FLOOD = { mode: 'flood', publishers: 4, warmupSeconds: 2, seconds: 10 };

/** The two specified loads of the budget. */
export const budget = ({ publishers, seconds, warmupSeconds, recordBytes, profile, phases, viewers }, wanted) => [
  table(
    'The budget',
    [
      wanted.includes('paced') && { publishers, seconds, warmupSeconds, recordBytes, profile, phases, viewers },
      wanted.includes('flood') && {
        ...FLOOD,
        seconds: Math.min(seconds, FLOOD.seconds),
        warmupSeconds: Math.min(warmupSeconds, FLOOD.warmupSeconds),
        recordBytes,
      },
    ].filter(Boolean),
  ),
];

export const quick = () => [
  table('Quick', [
    { publishers: 50, seconds: 5, warmupSeconds: 3 },
    { ...FLOOD, seconds: 4 },
  ]),
];

/** One table for each thing that a server's cost may grow with. */
export function full({ publishers, seconds, warmupSeconds }) {
  const common = { seconds, warmupSeconds };
  return [
    table(
      'Record sizes, in real time',
      [1, 4, 16].map((size) => ({ ...common, publishers, recordBytes: size * KB })),
    ),
    table(
      'Record sizes, flooded',
      [1, 4, 16].map((size) => ({ ...FLOOD, recordBytes: size * KB })),
    ),
    table(
      'Publishers, each of 0.8 Mbit/s',
      [1, 10, 100, 300, 1000].map((count) => ({ ...common, publishers: count, profile: '360p30' })),
    ),
    table(
      'Bitrates, 50 publishers',
      ['360p30', '720p30', '1080p30', '1080p60'].map((profile) => ({ ...common, publishers: 50, profile })),
    ),
    table(
      'Viewers of 10 publishers',
      [0, 10, 50].map((viewers) => ({ ...common, publishers: 10, viewers, profile: '720p30' })),
    ),
  ];
}
