/** How the recorder, the relay and the probe get the packets of a running broadcast. */
import type { SliceList } from '../bytes/slices.js';

/** Gets the packets of one broadcast as they come. Must not keep `payload`, the list, beyond the call, and never throws. */
export interface MediaTap {
  /** True: it copies the bytes that it needs within the call. Absent: it may keep them, so they are never overwritten. */
  readonly copies?: boolean;
  /** True: it needs sequence headers only, for now. While no tap needs more, payload is not kept at all. */
  readonly isIdle?: boolean;
  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void;
  close(): void;
}

/** Makes taps: `live` taps get only what is LIVE, `publish` taps everything from the accepted publish on. */
export interface TapSource {
  /** `hasStorage` false: the owner has as many stored bytes as it may have. */
  open(liveVideoId: string, when: 'publish' | 'live', hasStorage: boolean): MediaTap | undefined;
}
