/** Playback on a real port with a real child, fed by hand. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SliceList } from '../../src/bytes/slices.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { LatestHeaders } from '../../src/media/flv/latest-headers.js';
import { createPlayback, type Playback } from '../../src/playback/playback.js';
import { LocalRelays } from '../../src/playback/relay/relay.js';
import type { MediaTap } from '../../src/ports/index.js';
import { enterPreview } from '../../src/probe/preview-run.js';
import { strongCage } from './cage.js';
import { memoryLog, realClock, temporaryFolder } from './store-harness.js';
import type { SynthMessage } from './synth-stream.js';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** As a publication is: taps can be attached while it runs. */
export class HandStream {
  readonly taps = new Set<MediaTap>();
  readonly #headers = new LatestHeaders();

  send(messages: Iterable<SynthMessage>): void {
    for (const { kind, timestampMs, payload } of messages) {
      const slices = SliceList.of(payload);
      this.#headers.observe(kind, timestampMs, slices);
      for (const tap of [...this.taps]) tap.packet(kind, timestampMs, slices);
      slices.clear();
    }
  }

  attach(tap: MediaTap): void {
    this.#headers.replay((kind, timestampMs, payload) => tap.packet(kind, timestampMs, payload));
    this.taps.add(tap);
  }

  end(): void {
    for (const tap of [...this.taps]) tap.close();
    this.taps.clear();
  }
}

export interface PlaybackHarness {
  readonly playback: Playback;
  readonly origin: string;
  readonly port: number;
  readonly streams: Map<string, HandStream>;
  readonly log: ReturnType<typeof memoryLog>;
  readonly told: { id: string; count: number }[];
  readonly dataDir: string;
  /** Requests with this in `authorization` may watch. */
  readonly token: string;
  /** The token with this id, and what it opened, end. Requests with `token` are by the one with the id 1. */
  endToken(id: string): void;
  /** Time goes on by itself, and by this. */
  skip(ms: number): void;
  /** A stream begins. */
  begin(id: string): HandStream;
  stop(id: string): void;
  flvUrl(id: string): string;
  childPid(): number;
  close(): Promise<void>;
}

export async function playbackHarness(
  dataDir?: string,
  home?: (liveVideoId: string) => string | undefined,
  ffmpeg: () => string = () => 'ffmpeg',
): Promise<PlaybackHarness> {
  const folder = dataDir === undefined ? temporaryFolder() : { path: dataDir, remove: () => undefined };
  const log = memoryLog();
  const cage = await strongCage(join(folder.path, 'tools'));
  const streams = new Map<string, HandStream>();
  const told: { id: string; count: number }[] = [];
  const ended = new Set<string>();
  const watched = new Map<string, Set<() => void>>();
  let skippedMs = 0;
  const clock = {
    wallMs: () => realClock.wallMs() + skippedMs,
    monotonicMs: () => realClock.monotonicMs() + skippedMs,
  };
  const playback = createPlayback({
    clock,
    log,
    dataDir: folder.path,
    caged: (output) => enterPreview(cage, ffmpeg(), output),
    ticketKey: new Uint8Array(32).fill(7),
    child: {
      path: here('../../src/playback/child/child.ts'),
      execArgv: ['--no-warnings', '--import', here('./typescript-loader.mjs')],
    },
    relays: new LocalRelays(
      {
        attach(id, tap) {
          const stream = streams.get(id);
          stream?.attach(tap);
          return stream !== undefined;
        },
        detach: (id, tap) => void streams.get(id)?.taps.delete(tap),
      },
      log,
    ),
    others: home === undefined ? undefined : { home: async (id) => home(id), tls: {} },
    authorize: async (request) => (request.headers.authorization === 'Bearer good' ? { tokenId: '1' } : undefined),
    tokens: {
      isValid: async (tokenId) => !ended.has(tokenId),
      watch: (tokenId, onEnd) => {
        const uses = watched.get(tokenId) ?? new Set();
        watched.set(tokenId, uses.add(onEnd));
        return () => void uses.delete(onEnd);
      },
    },
    insights: {
      watch: () => () => undefined,
      count: (id, count) => void told.push({ id, count }),
    },
  });
  const [mount] = playback.mounts;
  const server = createServer((request, response) => mount?.handler(request, response));
  server.on('upgrade', (request, socket, head) => {
    // As `HttpListener` does.
    socket.on('error', () => socket.destroy());
    if (!playback.upgrade(request, socket, head)) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    playback,
    origin,
    port,
    streams,
    log,
    told,
    dataDir: folder.path,
    token: 'Bearer good',
    endToken(id) {
      ended.add(id);
      for (const end of watched.get(id) ?? []) end();
    },
    skip: (ms) => {
      skippedMs += ms;
    },
    begin(id) {
      streams.get(id)?.end();
      const stream = new HandStream();
      streams.set(id, stream);
      playback.begun(id);
      return stream;
    },
    stop(id) {
      streams.get(id)?.end();
      streams.delete(id);
    },
    flvUrl: (id) => origin + playback.links(id).flv,
    childPid() {
      const lines = log.lines.filter((line) => line.message === 'playback server started');
      return (lines.at(-1)?.fields as { pid: number } | undefined)?.pid ?? 0;
    },
    async close() {
      await playback.close();
      server.closeAllConnections();
      server.close();
      folder.remove();
    },
  };
}

export interface Tag {
  readonly kind: string;
  readonly timestampMs: number;
  readonly payload: Uint8Array;
}

/** What a viewer was given, tag by tag. */
export class FlvViewer {
  readonly tags: Tag[] = [];
  status = 0;
  ended = false;
  readonly #reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => {
      this.tags.push({ kind, timestampMs, payload: payload.copy(0, payload.length) });
    },
  });
  #wake: () => void = () => undefined;
  #response: IncomingMessage | undefined;
  readonly #request;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#request = get(url, { agent: false, headers }, (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      response.on('data', (bytes: Buffer) => this.push(bytes));
      response.on('close', () => this.finish());
      this.#wake();
    });
    this.#request.on('error', () => this.finish());
  }

  push(bytes: Uint8Array): void {
    if (this.status === 200) this.#reader.push(bytes);
    this.#wake();
  }

  finish(): void {
    this.ended = true;
    this.#wake();
  }

  get frames(): Tag[] {
    return this.tags.filter(({ kind, payload }) => kind === 'video' && payload[1] === 1);
  }

  get sounds(): Tag[] {
    return this.tags.filter(({ kind, payload }) => kind === 'audio' && payload[1] === 1);
  }

  /** Resolves when it is so after something came; the test's own time limit is the limit. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  stopReading(): void {
    this.#response?.pause();
  }

  leave(): void {
    this.#request.destroy();
  }
}
