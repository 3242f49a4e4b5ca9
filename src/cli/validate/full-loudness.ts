/** `--loudness full`: the loudness of a file by FFmpeg's ebur128, which decodes all of it. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { FULL_LOUDNESS } from '../../probe/cage/limits.js';
import { limitsOnly } from '../../probe/cage/open-cage.js';
import { DECODERS } from '../../probe/decoders.js';
import { GUARD } from '../remux/remux.js';
import type { FileReport } from '../reports/report.js';

export interface FullLoudness {
  readonly integratedLufs: number;
  /** EBU Tech 3342. */
  readonly rangeLu: number;
  /** Four times oversampled; -Infinity for digital silence. */
  readonly truePeakDbtp: number;
}

const LINES = {
  integratedLufs: /^\s*I:\s+(-?(?:[\d.]+|inf)) LUFS/,
  rangeLu: /^\s*LRA:\s+(-?[\d.]+) LU$/,
  truePeakDbtp: /^\s*Peak:\s+(-?(?:[\d.]+|inf)) dBFS/,
} as const;

/** Loudness of the first audio track; undefined if it cannot be decoded, or if there is none. @throws Error if ffmpeg does not run */
export async function fullLoudness(ffmpeg: string, path: string): Promise<FullLoudness | undefined> {
  const caged = limitsOnly().enter({ tool: ffmpeg, limits: FULL_LOUDNESS });
  const child = spawn(caged.program, [...caged.args, ...argsFor(path)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const found = new Map<string, number>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    for (const [name, pattern] of Object.entries(LINES)) {
      const [, value] = pattern.exec(line) ?? [];
      if (value !== undefined) found.set(name, Number(value.replace('inf', 'Infinity')));
    }
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  const [integratedLufs, rangeLu, truePeakDbtp] = Object.keys(LINES).map((name) => found.get(name));
  if (integratedLufs === undefined || rangeLu === undefined || truePeakDbtp === undefined) return undefined;
  return { integratedLufs, rangeLu, truePeakDbtp };
}

/** The values of each 0.1 s are logged at a level that is not printed. */
function argsFor(path: string): readonly string[] {
  return [
    ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'info', ...GUARD, '-codec_whitelist', DECODERS],
    ...['-threads', '1', '-i', `file:${path}`, '-map', '0:a:0', '-filter_threads', '1'],
    ...['-af', 'ebur128=framelog=verbose:peak=true', '-f', 'null', 'pipe:1'],
  ];
}

/** The report with the exact values in place of those from samples. */
export function withFullLoudness(report: FileReport, loudness: FullLoudness | undefined): FileReport {
  if (report.stream === undefined) return report;
  if (loudness === undefined) return { ...report, notes: [...report.notes, 'The loudness could not be measured.'] };
  const { integratedLufs, rangeLu, truePeakDbtp } = loudness;
  const peak = Number.isFinite(truePeakDbtp) ? `${truePeakDbtp} dBTP` : 'none';
  const note = `Loudness of the whole file: ${integratedLufs} LUFS, range ${rangeLu} LU, true peak ${peak}.`;
  return {
    ...report,
    notes: [...report.notes, note],
    stream: {
      ...report.stream,
      loudnessLufs: integratedLufs,
      loudnessRangeLu: rangeLu,
      ...(Number.isFinite(truePeakDbtp) ? { truePeakDbtp } : {}),
    },
  };
}
