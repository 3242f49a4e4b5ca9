/** Judges one file in a worker, which the page ends to cancel it. A file that takes all of its time or memory costs no more. */

import type { FileResult, Progress } from '../../../check/file-report.js';
import { readHouseText } from '../../../config/house-text.js';
import { BlobSource } from '../../../library/blob-source.js';
import { type Core, instantiate } from '../../../library/instantiate.js';
import type { HouseSpec } from '../../../spec/house.js';
import { EMPTY_SERIES, SERIES_COLUMNS, type Series, withSamples } from '../../view/health-series.js';
import { type ChartBounds, chartBounds } from '../dashboard/charts/chart-data.js';
import type { Answer, Judged, Request } from './messages.js';

/** A value for each second of the stream, as far as its bytes are read in pieces that small. */
const SAMPLE_MS = 1_000;
/** The page draws no faster. */
const TELL_MS = 100;

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  answerTo(data).then(tell, (error: unknown) => tell({ type: 'refused', reason: reasonOf(error) }));
});

function tell(answer: Answer): void {
  postMessage(answer);
}

async function answerTo(request: Request): Promise<Answer> {
  if (request.type === 'bounds') return { type: 'bounds', house: houseOf(request.text, request.name) };
  return { type: 'judged', ...(await judge(request)) };
}

/** @throws Error with a message for the user */
function houseOf(text: string, name: string): HouseSpec {
  const house = readHouseText(text, name, name);
  const problems = instantiate(house).unknownNames(house);
  if (problems.length > 0) throw new Error(`${name}: ${problems.join('; ')}`);
  return house;
}

async function judge({ file, meantAs, house }: Request & { type: 'judge' }): Promise<Judged> {
  const core = instantiate(house);
  const read = new Reading();
  const check = meantAs === 'upload' ? core.checkUpload : core.checkSource;
  const result = await check(new BlobSource(file), file.name, { onProgress: (now) => read.take(now) });
  const { series } = read;
  return {
    result,
    history: { columns: SERIES_COLUMNS, step_ms: SAMPLE_MS * series.step, points: series.points },
    bounds: boundsOf(core, result),
    remedies: remediesOf(core, result),
    ...(house === undefined ? {} : { spec: house.name }),
  };
}

/** Collects what is measured and found. */
class Reading {
  series: Series = EMPTY_SERIES;
  readonly #found = new Set<string>();
  #nextMs = 0;
  #toldAt = 0;

  take({ bytes, findings, health }: Progress): void {
    for (const { id } of findings) this.#found.add(id);
    if (health.streamTimeMs >= this.#nextMs) {
      this.#nextMs = health.streamTimeMs + SAMPLE_MS / 2;
      const { videoBitrateKbps: videoKbps, audioBitrateKbps: audioKbps, streamTimeMs: atMs } = health;
      const { frameRate, keyFrameIntervalMs, width, height, frameRateClass } = health;
      const sample = { atMs, videoKbps, audioKbps, frameRate, keyFrameIntervalMs, width, height, frameRateClass };
      this.series = withSamples(this.series, [sample]);
    }
    const now = performance.now();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    tell({ type: 'progress', bytes, findings: this.#found.size });
  }
}

function boundsOf({ LIVE, HIGHEST_FPS, bitrateRange }: Core, { stream }: FileResult): ChartBounds {
  const { width, height, frameRateClass = 30 } = stream ?? {};
  const isKnown = width !== undefined && height !== undefined;
  return chartBounds(LIVE, HIGHEST_FPS, isKnown ? bitrateRange(width, height, frameRateClass) : undefined);
}

function remediesOf({ FAMILY_REMEDIES, remedyFor }: Core, { errors }: FileResult): Judged['remedies'] {
  const codes = [...new Set(errors.map((record) => record.error_code))];
  return Object.fromEntries(
    ['', ...FAMILY_REMEDIES.keys()].map((family) => [
      family,
      Object.fromEntries(codes.map((code) => [code, remedyFor(code, { family, name: '', version: '' })])),
    ]),
  );
}

/** A folder, a file that was changed or removed, a disk that fails: a DOMException, whose text names no file. */
function reasonOf(error: unknown): string {
  if (!(error instanceof DOMException)) return error instanceof Error ? error.message : String(error);
  return 'it cannot be read: it is a folder, or it was changed, moved or removed since it was chosen';
}
