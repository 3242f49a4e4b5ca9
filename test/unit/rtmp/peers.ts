/** Sessions connected in memory, with recording sinks. */

import { DEFAULT_RTMP_LIMITS, type RtmpLimits } from '../../../src/rtmp/limits.js';
import type { MessageSink, RtmpMessage } from '../../../src/rtmp/messages/message.js';
import {
  ClientSession,
  type ClientSessionOptions,
  type ClientStatus,
} from '../../../src/rtmp/session/client-session.js';
import {
  type ConnectInfo,
  type PublishRequest,
  ServerSession,
  type ServerSessionOptions,
  type ServerSessionSink,
  type SessionFault,
  type UnpublishReason,
} from '../../../src/rtmp/session/server-session.js';

export function hex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replace(/\s/g, ''), 'hex'));
}

/** Deterministic bytes in place of random ones. */
export function counting(seed = 1): (count: number) => Uint8Array {
  let state = seed >>> 0;
  return (count) => {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      bytes[i] = state >>> 24;
    }
    return bytes;
  };
}

export interface Heard {
  readonly typeId: number;
  readonly timestampMs: number;
  readonly messageStreamId: number;
  readonly chunkStreamId: number;
  readonly payload: Uint8Array;
  readonly messageNumber: number;
  readonly byteOffset: number;
}

export function heard(message: RtmpMessage): Heard {
  return { ...message, payload: message.payload.copy(0, message.payload.length) };
}

export class Messages implements MessageSink {
  readonly all: Heard[] = [];
  readonly faults: string[] = [];
  takeMessage(message: RtmpMessage): void {
    this.all.push(heard(message));
  }
  reportFault(code: string): void {
    this.faults.push(code);
  }
}

/** A server session that accepts each publish, or calls `decide`. */
export class ServerPeer implements ServerSessionSink {
  readonly session: ServerSession;
  readonly writes: Uint8Array[] = [];
  readonly publishes: PublishRequest[] = [];
  readonly video: Heard[] = [];
  readonly audio: Heard[] = [];
  readonly data: { name: string; values: readonly unknown[] }[] = [];
  readonly unpublishes: [UnpublishReason, number][] = [];
  readonly faults: SessionFault[] = [];
  deliver: (bytes: Uint8Array) => void = () => undefined;
  decide: (request: PublishRequest, session: ServerSession) => void;

  constructor(
    decide: (request: PublishRequest, session: ServerSession) => void = (request, session) => {
      session.acceptPublish(request.requestId);
    },
    limits: Partial<RtmpLimits> = {},
    options: Partial<ServerSessionOptions> = {},
  ) {
    this.decide = decide;
    this.session = new ServerSession({
      limits: { ...DEFAULT_RTMP_LIMITS, ...limits },
      randomBytes: counting(7),
      sink: this,
      ...options,
    });
  }

  send(bytes: Uint8Array): void {
    this.writes.push(bytes.slice());
    this.deliver(bytes);
  }
  get connects(): ConnectInfo[] {
    const info = this.session.connectInfo;
    return info === undefined ? [] : [info];
  }
  publish(request: PublishRequest): void {
    this.publishes.push(request);
    this.decide(request, this.session);
  }
  takeVideo(message: RtmpMessage): void {
    this.video.push(heard(message));
  }
  takeAudio(message: RtmpMessage): void {
    this.audio.push(heard(message));
  }
  takeData(name: string, values: readonly unknown[]): void {
    this.data.push({ name, values });
  }
  unpublish(reason: UnpublishReason, streamId: number): void {
    this.unpublishes.push([reason, streamId]);
  }
  reportFault(code: SessionFault): void {
    this.faults.push(code);
  }
}

export class ClientPeer {
  readonly session: ClientSession;
  readonly writes: Uint8Array[] = [];
  readonly statuses: { info: ClientStatus; streamId: number }[] = [];
  readonly received: Heard[] = [];
  deliver: (bytes: Uint8Array) => void = () => undefined;

  constructor(options: Partial<ClientSessionOptions> = {}) {
    this.session = new ClientSession({
      randomBytes: counting(3),
      app: 'live',
      tcUrl: 'rtmps://localhost:1936/live',
      name: 'key',
      ...options,
      sink: {
        send: (bytes) => {
          this.writes.push(bytes.slice());
          this.deliver(bytes);
        },
        takeStatus: (info, streamId) => {
          this.statuses.push({ info, streamId });
        },
        takeMessage: (message) => {
          this.received.push(heard(message));
        },
      },
    });
  }

  get isPublishing(): boolean {
    return this.session.state === 'publishing';
  }
}

/** Exchanges bytes in turn, split by `cut`, until no output is left. Copies, as a socket would. */
export function join(
  server: ServerPeer,
  client: ClientPeer,
  cut: (bytes: Uint8Array) => Iterable<Uint8Array> = (bytes) => [bytes],
): { run: () => void } {
  const queue: { to: { push(bytes: Uint8Array): void }; bytes: Uint8Array }[] = [];
  let running = false;
  const run = (): void => {
    if (running) return;
    running = true;
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        for (const piece of cut(next.bytes)) next.to.push(piece.slice());
      }
    } finally {
      running = false;
    }
  };
  server.deliver = (bytes) => {
    queue.push({ to: client.session, bytes: bytes.slice() });
    run();
  };
  client.deliver = (bytes) => {
    queue.push({ to: server.session, bytes: bytes.slice() });
    run();
  };
  return { run };
}

export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A client that publishes to an accepting server. */
export function publishing(
  clientOptions: Partial<ClientSessionOptions> = {},
  server: ServerPeer = new ServerPeer(),
): { server: ServerPeer; client: ClientPeer } {
  const client = new ClientPeer(clientOptions);
  join(server, client);
  client.session.start();
  return { server, client };
}
