// Compares the ratios of a run with those that are committed (bench/baseline.json), so that no change loses them unseen.
import { readFileSync, writeFileSync } from 'node:fs';

const BASELINE = new URL('../baseline.json', import.meta.url);
/** Ratios of medians of three rounds differ by less than this from run to run. */
const WORSE_BY = 0.15;

/** Which server is compared with which floor, and the name of the ratio. */
export const RATIOS = [
  { name: 'airlock', of: 'airlock', to: 'floor' },
  { name: 'airlock-published', of: 'airlock-published', to: 'floor' },
  { name: 'airlock-recording', of: 'airlock-recording', to: 'floor' },
  { name: 'airlock-recording to floor-recording', of: 'airlock-recording', to: 'floor-recording' },
];

/** Servers of others, which the gate measures where they are installed: Airlock as a multiple of each. */
export const PEERS = ['nginx-rtmp', 'srs', 'gortmplib'];
const PEER_RATIOS = PEERS.map((to) => ({ name: `airlock to ${to}`, of: 'airlock', to }));

/** CPU a gigabyte as a multiple of a floor's, of the one that ran at the same time if one did: by load, then by ratio. */
export function ratiosOf(results) {
  const ratios = {};
  for (const { load } of results) {
    const find = (name) => results.find((other) => other.load === load && other.subject === name);
    const timesOf = (of, to) => find(of)?.times?.[to] ?? find(of)?.cpuPerGb / find(to)?.cpuPerGb;
    // A peer ran beside the floor, not beside Airlock.
    const timesOfPeer = (of, to) => timesOf(of, 'floor') / timesOf(to, 'floor');
    for (const { name, of, to } of [...RATIOS, ...PEER_RATIOS]) {
      const ratio = (PEERS.includes(to) ? timesOfPeer : timesOf)(of, to);
      if (Number.isNaN(ratio)) continue;
      ratios[load.name] ??= {};
      ratios[load.name][name] = Math.round(ratio * 100) / 100;
    }
  }
  return ratios;
}

/**
 * A line for each ratio, and those that fail: worse than their baseline by more than the tolerance, or in it and not measured.
 * `servers`: those that were to be measured, peers where they are installed.
 */
export function compare(ratios, baseline, servers) {
  const lines = [];
  const failing = [];
  for (const [load, subjects] of Object.entries(ratios)) {
    for (const [subject, ratio] of Object.entries(subjects)) {
      const before = baseline[load]?.[subject];
      if (before === undefined) {
        lines.push(`${load}; ${subject}: ${ratio}, without a baseline`);
        continue;
      }
      const change = ratio / before - 1;
      const fails = ratio > before * (1 + WORSE_BY);
      const percent = `${change < 0 ? '-' : '+'}${Math.abs(change * 100).toFixed(0)} %`;
      lines.push(`${load}; ${subject}: ${ratio}, baseline ${before} (${percent})${fails ? ': WORSE' : ''}`);
      if (fails) failing.push(`${load}; ${subject} (${percent})`);
    }
  }
  for (const [load, subjects] of Object.entries(baseline)) {
    for (const { name, of, to } of [...RATIOS, ...PEER_RATIOS]) {
      const isAsked = servers.includes(of) && servers.includes(to);
      if (!isAsked || subjects[name] === undefined || ratios[load]?.[name] !== undefined) continue;
      lines.push(`${load}; ${name}: not measured, baseline ${subjects[name]}`);
      failing.push(`${load}; ${name} (not measured)`);
    }
  }
  return { lines, failing };
}

export const readBaseline = () => JSON.parse(readFileSync(BASELINE, 'utf8'));

/** What was not measured stays as it was: peers are not installed everywhere. */
export function writeBaseline(ratios) {
  const before = readBaseline();
  const merged = Object.fromEntries(
    Object.entries(ratios).map(([load, taken]) => [load, { ...before[load], ...taken }]),
  );
  writeFileSync(BASELINE, `${JSON.stringify({ ...before, ...merged }, undefined, 2)}\n`);
}
