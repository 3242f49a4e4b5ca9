/** What the process that serves viewers and those that receive streams say to each other. Media goes past it. */

export type ToRelayHost =
  | { readonly playback: 'open'; readonly relay: number; readonly liveVideoId: string; readonly startMs: number }
  /** `query` lets the relay publish this stream name, at once, on this port of 127.0.0.1. */
  | {
      readonly playback: 'connect';
      readonly relay: number;
      readonly rtmpPort: number;
      readonly streamName: string;
      readonly query: string;
    }
  | { readonly playback: 'close'; readonly relay: number };

export type FromRelayHost =
  /** The answer of the one that receives the stream. */
  | { readonly playback: 'opened'; readonly relay: number }
  | { readonly playback: 'link-lost'; readonly relay: number; readonly streamName: string }
  | { readonly playback: 'closed'; readonly relay: number; readonly lastMs: number }
  /** A stream begins here. */
  | { readonly playback: 'begun'; readonly liveVideoId: string };
