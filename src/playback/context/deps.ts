/** Interfaces that playback needs from the rest of the server, and its messages between processes. */
import type { ChildProcess } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import type { Clock, Log, MediaTap, PreviousKey, TokenWatch } from '../../ports/index.js';

/** The streams that this process receives. */
export interface RunningStreams {
  /** The tap receives packets from now on, after the latest metadata and sequence headers. False: no such stream here. */
  attach(liveVideoId: string, tap: MediaTap): boolean;
  /** The tap receives no more packets; it is not closed. */
  detach(liveVideoId: string, tap: MediaTap): void;
}

/** The way to the processes that receive streams. Messages to and from one process arrive in order. */
export interface RelayHosts {
  sendAll(message: ToRelayHost): void;
  send(host: number, message: ToRelayHost): void;
}

/** Admission of a viewer; it ends with the token. */
export interface Grant {
  readonly tokenId?: string;
}

export interface ChildProgram {
  readonly path: string;
  /** Node options, placed before the path. */
  readonly execArgv: readonly string[];
}

/** A run of ffmpeg within a sandbox that lets it write to one folder. What it writes there is not trusted. */
export interface CagedFfmpeg {
  readonly program: string;
  /** Precede the arguments of ffmpeg. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** A regular file that it has written. @throws ENOENT; OUTPUT_REFUSED for a link, a pipe and what else is no such file */
  open(name: string): Promise<FileHandle>;
  /** Kills the run with everything that it started. Resolves once it has ended; false: something could not be ended. */
  end(child: ChildProcess): Promise<boolean>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

export interface OtherServers {
  /** `https://host:port` of the server that receives this broadcast; `undefined`: this one, none, or an unreachable one. */
  home(liveVideoId: string): Promise<string | undefined>;
  /** TLS options for `https` origins. */
  readonly tls: Pick<ConnectionOptions, 'ca' | 'servername' | 'checkServerIdentity'>;
}

/** Records who watches. */
export interface ViewerInsights {
  /** Called at every change, and every few seconds while there are viewers. */
  count(liveVideoId: string, viewers: number): void;
  /** A viewer starts watching; the returned function is called once, with the monotonic time at which it stopped. */
  watch(liveVideoId: string): (stoppedAtMs: number) => void;
}

export interface PlaybackDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Each preview is written to its own subfolder. */
  readonly dataDir: string;
  readonly caged: (folder: string) => CagedFfmpeg;
  /** Tickets are signed with a key derived from this; it must be the same on all machines that share viewers. */
  readonly ticketKey: Uint8Array;
  readonly previousTicketKey?: PreviousKey | undefined;
  /** The grant of this request, which has no valid ticket. A rejection is logged and counts as `undefined`: it may not watch. */
  authorize(request: IncomingMessage, liveVideoId: string): Promise<Grant | undefined>;
  readonly tokens: TokenWatch;
  /** The other servers that share the store, if any. */
  readonly others?: OtherServers | undefined;
  readonly insights?: ViewerInsights;
  /** Program of the child process, if not the built one. */
  readonly child?: ChildProgram;
}

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
