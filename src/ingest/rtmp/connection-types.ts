/** What a connection is given, and what takes its packets. */
import type { Socket } from 'node:net';
import type { IngestDeps } from '../../broadcasts/deps.js';
import type { PreflightStart } from '../../broadcasts/preflights.js';
import type { Publications } from '../../broadcasts/publications.js';
import type { PublishGate } from '../../broadcasts/publish-gate.js';
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { RtmpMessage } from '../../rtmp/messages/message.js';
import type { Connection } from './connection.js';

/** What takes the packets of an accepted publish: a publication, or a preflight. */
export interface PacketTarget {
  /** Payload may be kept beyond the call. */
  readonly keepsPayload: boolean;
  /** A video message that is still arriving; see `MessageSink.retainHeaders`. */
  retainHeaders(payload: RtmpMessage['payload'], partial: PartialFrame): boolean;
  video(
    payload: RtmpMessage['payload'],
    timestampMs: number,
    messageNumber: number,
    byteOffset: number,
    atMs: number,
  ): void;
  audio(
    payload: RtmpMessage['payload'],
    timestampMs: number,
    messageNumber: number,
    byteOffset: number,
    atMs: number,
  ): void;
  metadata(value: unknown, timestampMs: number, payload: RtmpMessage['payload'], atMs: number): void;
}

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly address: string;
  /** Came over TLS, ours or a trusted one in front. */
  readonly secure: boolean;
  readonly deps: IngestDeps;
  readonly gate: Pick<PublishGate, 'admit'>;
  readonly publications: Publications;
  readonly startPreflight: StartPreflight;
  /** Told once, when the first publish is accepted. A preflight is none: it counts as not yet publishing. */
  readonly onPublishing: () => void;
  readonly onRefusedPublish: (reason: string) => void;
  readonly onClosed: (connection: Connection) => void;
}

export type StartPreflight = (start: PreflightStart) => PacketTarget & { leave(): Promise<void> };
