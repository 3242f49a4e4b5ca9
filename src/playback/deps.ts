/** What playback needs from outside, declared by what it calls. */
import type { IncomingMessage } from 'node:http';
import type { Clock, Log, MediaTap } from '../ports/index.js';
import type { OtherServers } from './forward.js';
import type { FromRelayHost, ToRelayHost } from './relay-messages.js';

/** The streams that this process receives. */
export interface RunningStreams {
  /** From now on the tap sees the packets, the latest metadata and sequence headers first. False: no such stream here. */
  attach(liveVideoId: string, tap: MediaTap): boolean;
  /** The tap sees no more packets; it is not closed. */
  detach(liveVideoId: string, tap: MediaTap): void;
}

/** The way to other processes of this machine, and what they say. Messages to and from one arrive in order. */
export interface RelayHosts {
  sendAll(message: ToRelayHost): void;
  send(host: number, message: ToRelayHost): void;
  onMessage(listener: (host: number, message: FromRelayHost) => void): void;
  onGone(listener: (host: number) => void): void;
}

export interface ChildProgram {
  readonly path: string;
  /** For Node, before the path. */
  readonly execArgv: readonly string[];
}

export interface PlaybackDeps {
  readonly streams: RunningStreams;
  /** The processes that receive the streams, when this one receives none. */
  readonly hosts?: RelayHosts | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Previews are written to a folder of their own in it. */
  readonly dataDir: string;
  readonly ffmpeg: string;
  /** Tickets are signed with what is derived from it; the same on every machine that shall take them. */
  readonly ticketKey: Uint8Array;
  /** Whether this request, which came without a valid ticket, may watch. Rejections count as no, and are logged. */
  authorize(request: IncomingMessage, liveVideoId: string): boolean | Promise<boolean>;
  /** The servers that share the store, when others do. */
  readonly others?: OtherServers | undefined;
  /** At every change, and again every few seconds while somebody watches. */
  onViewers?(liveVideoId: string, count: number): void;
  /** Somebody begins to watch; what comes back is called once, with the monotonic time at which they stopped. */
  onWatch?(liveVideoId: string): (stoppedAtMs: number) => void;
  /** The child program, when not the built one. */
  readonly child?: ChildProgram;
}
