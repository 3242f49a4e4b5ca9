/**
 * Series of observed values in the store. Points are split into parts, so that a save rewrites only the last part. When the
 * series is full (after 48 minutes, then at doubling intervals), its points are halved and all parts are rewritten.
 */
import { DERIVED_ID, type EdgeName, edgeOf, type Store, SYSTEM_EDGES, type Write } from '../../ports/index.js';
import { EMPTY_SERIES, type Sample, type Series, type SeriesPoint, withSamples } from '../view/health-series.js';
import { HISTORY_LIMITS } from '../view/limits.js';

/** Metadata of a series, stored beside its parts. */
interface Head {
  readonly step: number;
  readonly filled: number;
  /** Number of parts; all but the last are full. */
  readonly parts: number;
}

const SWEEP_BATCH = 200;

const partsOf = (liveVideoId: string): EdgeName => edgeOf(DERIVED_ID.series(liveVideoId), 'parts');

export class SeriesStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async read(liveVideoId: string): Promise<Series> {
    const head = await this.#head(liveVideoId);
    return head === undefined ? EMPTY_SERIES : this.#whole(liveVideoId, head);
  }

  /** One writer per series: the process that receives the stream. */
  async append(liveVideoId: string, samples: readonly Sample[], nowMs: number): Promise<void> {
    const head = (await this.#head(liveVideoId)) ?? { step: 1, filled: 0, parts: 0 };
    const last = Math.max(0, head.parts - 1);
    const tail = head.parts === 0 ? [] : await this.#part(liveVideoId, last);
    const before = last * HISTORY_LIMITS.partPoints;
    const isFull = before + tail.length + samples.length > HISTORY_LIMITS.points;
    const series = isFull
      ? withSamples(await this.#whole(liveVideoId, head), samples)
      : withSamples({ step: head.step, filled: head.filled, points: tail }, samples);
    await this.#write(liveVideoId, series, isFull ? 0 : last, head.parts, nowMs);
  }

  async delete(liveVideoId: string): Promise<void> {
    const head = await this.#head(liveVideoId);
    const parts = Array.from({ length: head?.parts ?? 0 }, (_, part) => String(part));
    await this.#store.objects.commit([
      { op: 'delete', id: DERIVED_ID.series(liveVideoId) },
      ...parts.map((member) => ({ op: 'edgeRemove', ...partsOf(liveVideoId), member }) as const),
      { op: 'edgeRemove', ...SYSTEM_EDGES.healthSeries, member: liveVideoId },
    ]);
  }

  /** Deletes one batch of series last written before `untilMs`. */
  async deleteOld(untilMs: number): Promise<void> {
    const old = await this.#store.objects.page(SYSTEM_EDGES.healthSeries, {
      limit: SWEEP_BATCH,
      ascending: true,
      untilScore: untilMs,
    });
    for (const { member } of old.entries) await this.delete(member);
  }

  /** Writes `points` as parts from `first` on; removes old parts beyond the new count. */
  async #write(
    liveVideoId: string,
    { step, filled, points }: Series,
    first: number,
    partsBefore: number,
    nowMs: number,
  ): Promise<void> {
    const id = DERIVED_ID.series(liveVideoId);
    const edge = partsOf(liveVideoId);
    const size = HISTORY_LIMITS.partPoints;
    const written = Math.ceil(points.length / size);
    const head: Head = { step, filled, parts: first + written };
    const writes: Write[] = [
      { op: 'put', object: { id, kind: 'series', createdMs: nowMs, updatedMs: nowMs, data: head } },
      { op: 'edgeAdd', ...SYSTEM_EDGES.healthSeries, member: liveVideoId, score: nowMs },
    ];
    for (let n = 0; n < written; n++) {
      const value = points.slice(n * size, (n + 1) * size);
      writes.push({ op: 'edgeAdd', ...edge, member: String(first + n), score: first + n, value });
    }
    for (let n = head.parts; n < partsBefore; n++) writes.push({ op: 'edgeRemove', ...edge, member: String(n) });
    await this.#store.objects.commit(writes);
  }

  async #head(liveVideoId: string): Promise<Head | undefined> {
    const found = await this.#store.objects.get<Head>(DERIVED_ID.series(liveVideoId));
    return found?.kind === 'series' ? found.data : undefined;
  }

  async #whole(liveVideoId: string, { step, filled, parts }: Head): Promise<Series> {
    const page = await this.#store.objects.page(partsOf(liveVideoId), { limit: parts, ascending: true });
    return { step, filled, points: page.entries.flatMap(({ value }) => value as SeriesPoint[]) };
  }

  async #part(liveVideoId: string, part: number): Promise<readonly SeriesPoint[]> {
    const entry = await this.#store.objects.edgeEntry(partsOf(liveVideoId), String(part));
    return (entry?.value as SeriesPoint[] | undefined) ?? [];
  }
}
