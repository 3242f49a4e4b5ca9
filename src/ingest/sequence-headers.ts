/** The latest metadata and sequence headers of a connection, so that a tap opened in mid-stream starts with them. */
import { SliceList } from '../bytes/slices.js';
import type { MediaTap } from './deps.js';

type Kind = 'audio' | 'video' | 'data';
const LARGEST = 65_536;
const AAC = 10;
const AVC = 7;

export class SequenceHeaders {
  readonly #latest = new Map<Kind, { timestampMs: number; payload: SliceList }>();

  /** Keeps a copy when the message is one of those, and says so; looks at two bytes otherwise. */
  look(kind: Kind, timestampMs: number, payload: SliceList): boolean {
    if (kind !== 'data' && !isSequenceHeader(kind, payload)) return false;
    if (payload.length > LARGEST) return true;
    this.#latest.set(kind, { timestampMs, payload: SliceList.of(payload.copy(0, payload.length)) });
    return true;
  }

  replay(tap: MediaTap): void {
    for (const kind of ['data', 'video', 'audio'] as const) {
      const header = this.#latest.get(kind);
      if (header !== undefined) tap.packet(kind, header.timestampMs, header.payload);
    }
  }
}

/** FLV Annex E.4.3.1 and E.4.2.1, and the Enhanced RTMP forms. */
function isSequenceHeader(kind: 'audio' | 'video', payload: SliceList): boolean {
  const first = payload.byteAt(0);
  if (kind === 'video') {
    if ((first & 0x80) !== 0) return (first & 0x0f) === 0;
    return (first & 0x0f) === AVC && payload.byteAt(1) === 0;
  }
  if (first >> 4 === 9) return (first & 0x0f) === 0;
  return first >> 4 === AAC && payload.byteAt(1) === 0;
}
