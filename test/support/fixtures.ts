/**
 * The corpus below `fixtures/streams/`: a folder is a fixture, with nothing else to register. `recipe.json` says how the stream
 * is made, `expected.json` which records it must give. Streams of real encoders are made once into a cache, by the recipe's
 * hash; synthetic ones flow straight from their generator, so that eight hours need no disk.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { applyEdits, type Edit, type NalName, nalsOf } from './fixture-edits.js';
import { type SynthMessage, type SynthOptions, synthStream } from './synth-stream.js';

export const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const STREAMS = join(FIXTURES, 'streams');
const CACHE = join(FIXTURES, '.cache');

/** How it is sent when the way it arrives matters; without one, as fast as the server takes it. */
export interface Delivery {
  /** Media seconds a second. */
  readonly speed: number;
  /** Over plain RTMP. */
  readonly plain?: boolean;
  /** The uplink stands still: before the message of that media time, for so long by the clock. */
  readonly pauses?: readonly { readonly atMs: number; readonly forMs: number }[];
  /** How it ends: `cut` disconnects without an unpublish; `cut-and-again` reconnects with the same stream; `taken-over` is silent until a second encoder has taken the key. */
  readonly ends?: 'cut' | 'taken-over' | 'cut-and-again';
  /** The rate of the link from a time on. Only on the simulated clock, as the next two. */
  readonly link?: readonly { readonly fromMs: number; readonly kbps: number }[];
  /** The sender is behind by this much from a media time on. */
  readonly late?: readonly { readonly fromMs: number; readonly byMs: number }[];
  /** The server itself does nothing for this long. */
  readonly stalls?: readonly { readonly atMs: number; readonly forMs: number }[];
}

/** Whether it takes longer than a test may: only a simulated clock delivers it. */
export function isSimulated({ recipe: { delivery } }: Fixture): boolean {
  return delivery?.link !== undefined || delivery?.late !== undefined || delivery?.stalls !== undefined;
}

export interface Recipe {
  readonly title: string;
  /** What it is for, and why it must give what `expected.json` says. */
  readonly readme: string;
  /** Numbers of the interoperability cases that it covers. */
  readonly cases?: readonly string[];
  /** Codes whose bound it keeps: a little more would be a record. */
  readonly bounds?: readonly number[];
  /** LUFS; absent: the setting is off. */
  readonly loudnessTarget?: number;
  readonly kind: 'synth' | 'ffmpeg' | 'gstreamer' | 'file';
  /** `synth`: options of `synthStream`; NAL units by name. */
  readonly options?: Omit<SynthOptions, 'keyFrameNals' | 'edit'> & { readonly keyFrameNals?: readonly NalName[] };
  /** `ffmpeg`: arguments between the global ones and the output. */
  readonly args?: readonly string[];
  /** `gstreamer`: a pipeline up to its `flvmux name=mux`. */
  readonly pipeline?: string;
  /** Changes of the finished stream, in order. */
  readonly edits?: readonly Edit[];
  readonly delivery?: Delivery;
}

/** What a record needs beside the stream: key frames decoded to pictures, or a setting. */
export type Need = 'decoder' | 'target';

/** One record. Records of one code stand in the order of raising. */
export interface ExpectedRecord {
  readonly code: number;
  /** Stream time at which it is raised: earliest and latest. */
  readonly at_ms: readonly [number, number];
  /** When it is cleared before the end of the stream; absent: it lasts to the end. */
  readonly cleared_ms?: readonly [number, number];
  /** It shows only where it arrives: the clock of a connection raises it, although media can, too. */
  readonly live_only?: true;
  readonly needs?: Need;
  readonly why: string;
  /** Clause, row or case that says so. */
  readonly clause: string;
}

export interface Expected {
  readonly errors: readonly ExpectedRecord[];
  /** Why ffprobe cannot be asked about this stream; absent: it must agree. */
  readonly no_ffprobe?: string;
  /** What `airlock validate` says when it cannot judge the file; absent: it can. */
  readonly unreadable?: string;
}

export interface Fixture {
  readonly name: string;
  readonly recipe: Recipe;
  readonly expected: Expected;
}

export function fixtureNames(): string[] {
  return readdirSync(STREAMS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export function readFixture(name: string): Fixture {
  // What is not there is undefined for the builders; JSON can only say null.
  const read = (file: string) =>
    JSON.parse(readFileSync(join(STREAMS, name, file), 'utf8'), (_key, value) => value ?? undefined);
  return { name, recipe: read('recipe.json') as Recipe, expected: read('expected.json') as Expected };
}

export function allFixtures(): Fixture[] {
  return fixtureNames().map(readFixture);
}

export function expectationPath(name: string): string {
  return join(STREAMS, name, 'expected.json');
}

/** The stream as an encoder sends it. Synthetic ones are generated anew each time; payloads may be shared: do not write into them. */
export async function messagesOf({ name, recipe }: Fixture): Promise<Iterable<SynthMessage>> {
  const source = recipe.kind === 'synth' ? synthStream(synthOptions(recipe)) : readFlv(await encodedFile(name, recipe));
  return applyEdits(source, recipe.edits ?? []);
}

/** JSON has no bytes and no undefined. */
function synthOptions(recipe: Recipe): SynthOptions {
  const { keyFrameNals, ...options } = recipe.options ?? {};
  return keyFrameNals === undefined ? options : { ...options, keyFrameNals: nalsOf(keyFrameNals) };
}

/** FLV of the fixture in pieces of some size, for what reads files. */
export function* flvPieces(messages: Iterable<SynthMessage>): Generator<Buffer> {
  let parts: Uint8Array[] = [Uint8Array.of(0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0)];
  let size = 0;
  for (const message of messages) {
    const body = message.kind === 'data' ? withoutSetDataFrame(message.payload) : message.payload;
    parts.push(tagHeader(message, body.length), body, u32(11 + body.length));
    size += body.length;
    if (size < 1 << 20) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  yield Buffer.concat(parts);
}

const TAG_TYPES = { audio: 8, video: 9, data: 18 } as const;
const SET_DATA_FRAME = Buffer.from('\x02\x00\x0d@setDataFrame', 'latin1');

function tagHeader({ kind, timestampMs }: SynthMessage, size: number): Buffer {
  const head = Buffer.alloc(11);
  head.writeUInt8(TAG_TYPES[kind], 0);
  head.writeUIntBE(size, 1, 3);
  head.writeUIntBE(timestampMs & 0xff_ffff, 4, 3);
  head.writeUInt8(timestampMs >>> 24, 7);
  return head;
}

function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}

/** Recorders take it off. */
function withoutSetDataFrame(payload: Uint8Array): Uint8Array {
  return SET_DATA_FRAME.every((byte, i) => byte === payload[i]) ? payload.subarray(SET_DATA_FRAME.length) : payload;
}

function readFlv(path: string): SynthMessage[] {
  const messages: SynthMessage[] = [];
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => {
      const body = payload.copy(0, payload.length);
      // Encoders put this before what files hold.
      const sent = kind === 'data' ? Buffer.concat([SET_DATA_FRAME, body]) : body;
      messages.push({ kind, timestampMs, payload: sent });
    },
  });
  reader.push(readFileSync(path));
  reader.end();
  return messages;
}

/** The file that the recipe's encoder makes, from the cache or made now. */
async function encodedFile(name: string, recipe: Recipe): Promise<string> {
  if (recipe.kind === 'file') return join(STREAMS, name, 'stream.flv');
  const hash = createHash('sha256')
    .update(JSON.stringify([recipe.kind, recipe.args, recipe.pipeline]))
    .digest('hex');
  const path = join(CACHE, `${name}-${hash.slice(0, 12)}.flv`);
  mkdirSync(CACHE, { recursive: true });
  const lock = `${path}.lock`;
  while (!existsSync(path)) {
    if (takeLock(lock)) {
      try {
        await encode(recipe, `${path}.part`);
        renameSync(`${path}.part`, path);
      } finally {
        rmSync(lock, { force: true });
      }
    } else await anotherLook();
  }
  return path;
}

/** Several test processes may want the same stream: one makes it. A lock of a process that died is taken after a while. */
function takeLock(path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info !== undefined && Date.now() - info.mtimeMs > 120_000) rmSync(path, { force: true });
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function anotherLook(): Promise<void> {
  return new Promise((look) => setTimeout(look, 100));
}

const run = promisify(execFile);

async function encode(recipe: Recipe, to: string): Promise<void> {
  if (recipe.kind === 'gstreamer') {
    const pipeline = `${recipe.pipeline ?? ''} flvmux name=mux streamable=true ! filesink`;
    await run('gst-launch-1.0', ['-q', ...pipeline.split(/\s+/), `location=${to}`]);
    return;
  }
  const before = ['-v', 'error', '-nostdin', '-y'];
  const after = ['-fflags', '+bitexact', '-flvflags', 'no_duration_filesize', '-f', 'flv', to];
  await run(process.env.FFMPEG_PATH || 'ffmpeg', [...before, ...(recipe.args ?? []), ...after]);
}
