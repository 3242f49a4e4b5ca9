/** The latest metadata and sequence headers of a connection, with which every part of its recording begins. */
import { SliceList } from '../../bytes/slices.js';
import type { MediaKind } from './segment-file.js';

const KINDS = ['data', 'video', 'audio'] as const;
/** A header that is larger is nobody's. */
const LARGEST_BYTES = 65_536;

export class KeptHeaders {
  readonly #latest = new Map<MediaKind, SliceList>();

  keep(kind: MediaKind, payload: SliceList): void {
    if (payload.length <= LARGEST_BYTES) this.#latest.set(kind, SliceList.of(payload.copy(0, payload.length)));
  }

  *all(): Generator<readonly [MediaKind, SliceList]> {
    for (const kind of KINDS) {
      const payload = this.#latest.get(kind);
      if (payload !== undefined) yield [kind, payload];
    }
  }
}
