/** Messages between the process that serves viewers and those that receive streams. Media takes its own connection. */

export type ToRelayHost =
  | { readonly playback: 'open'; readonly relay: number; readonly liveVideoId: string; readonly startMs: number }
  /** `query` authorizes the relay to publish this stream name, at once, on this port of 127.0.0.1. */
  | {
      readonly playback: 'connect';
      readonly relay: number;
      readonly rtmpPort: number;
      readonly streamName: string;
      readonly query: string;
    }
  | { readonly playback: 'close'; readonly relay: number };

export type FromRelayHost =
  /** Sent by the process that receives the stream. */
  | { readonly playback: 'opened'; readonly relay: number }
  | { readonly playback: 'link-lost'; readonly relay: number; readonly streamName: string }
  | { readonly playback: 'closed'; readonly relay: number; readonly lastMs: number }
  /** A stream starts in this process. */
  | { readonly playback: 'begun'; readonly liveVideoIds: readonly string[] };
