// What `npm run bench` is asked for: its options, their defaults, and what to say of others.
import { parseArgs } from 'node:util';
import { PROFILES } from './flv.mjs';
import { PEERS } from './gate.mjs';

const ALL =
  'floor,floor-recording,airlock,airlock-published,airlock-recording,node-media-server,nginx-rtmp,srs,gortmplib';
/** The rounds of the gate: warm, with the servers of others that are installed. */
const GATE = {
  rounds: '3',
  warmup: '12',
  seconds: '10',
  only: `floor,floor-recording,airlock,airlock-published,airlock-recording,${PEERS.join(',')}`,
};

const USAGE = `Usage: npm run bench -- [options]

  --quick              a minute, to check the setup
  --gate               three rounds against bench/baseline.json; exit code 1 when one is worse
    --update           writes bench/baseline.json instead
  --full               tables by record size, publishers, bitrate and viewers

  --only NAMES         of ${ALL}
  --load LOADS         paced, flood or both (paced,flood)
  --publishers N       150
  --seconds N          that count: 20, with --gate 10
  --warmup N           seconds before them: 5, with --gate 12
  --record-bytes N     of a TLS record: 4096
  --profile NAME       of the content: 1080p30
  --phases N           groups of publishers whose key frames coincide: 25
  --viewers N          over HTTP-FLV: 0
  --rounds N           1, with --gate 3
  --apart              each server for itself, none with the floor
  --json FILE          saves the figures
  --help               prints this

bench/README.md describes the method and the columns.
`;

const text = (value) => ({ type: 'string', default: value });
const flag = { type: 'boolean', default: false };

/** Options that cannot be followed. */
class UsageError extends Error {}

/** The options of a run with `asked`, the numbers of its load, or undefined for `--help`. Throws UsageError. */
function read(args) {
  const isGate = args.includes('--gate');
  const defaults = { rounds: '1', warmup: '5', seconds: '20', only: ALL, ...(isGate ? GATE : {}) };
  const { values } = parse(args, {
    publishers: text('150'),
    seconds: text(defaults.seconds),
    'record-bytes': text('4096'),
    only: text(defaults.only),
    warmup: text(defaults.warmup),
    profile: text('1080p30'),
    phases: text('25'),
    viewers: text('0'),
    rounds: text(defaults.rounds),
    quick: flag,
    full: flag,
    load: text('paced,flood'),
    apart: flag,
    gate: flag,
    update: flag,
    json: { type: 'string' },
    help: flag,
  });
  if (values.help) return undefined;
  const number = (name) => {
    const value = Number(values[name]);
    if (!(value >= 0)) throw new UsageError(`--${name} takes a number`);
    return value;
  };
  const asked = {
    publishers: number('publishers'),
    seconds: number('seconds'),
    warmupSeconds: number('warmup'),
    recordBytes: number('record-bytes'),
    phases: number('phases'),
    viewers: number('viewers'),
  };
  const only = namesIn(values.only, ALL.split(','), 'server');
  const loads = namesIn(values.load, ['paced', 'flood'], 'load');
  const profiles = Object.keys(PROFILES);
  if (!profiles.includes(values.profile)) throw noSuch('profile', [values.profile], profiles);
  return { ...values, rounds: number('rounds'), asked, only, loads };
}

function parse(args, options) {
  try {
    return parseArgs({ args, options });
  } catch (error) {
    if (error.code?.startsWith('ERR_PARSE_ARGS')) throw new UsageError(error.message.split('. ')[0]);
    throw error;
  }
}

function namesIn(list, known, what) {
  const names = list.split(',');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw noSuch(what, unknown, known);
  return names;
}

const noSuch = (what, unknown, known) =>
  new UsageError(`no such ${what}: ${unknown.join(', ')}; there are ${known.join(', ')}`);

/** As `read`; ends the process with the usage for `--help`, and with code 2 for options that cannot be followed. */
export function optionsOrExit(args) {
  try {
    const options = read(args);
    if (options !== undefined) return options;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
