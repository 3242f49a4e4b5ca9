/**
 * One ffmpeg in its sandbox that makes prints of one owner's samples. The muxer of prints writes at the end of its input
 * only, so ffmpeg's segment muxer ends it after each sample and writes a line with the number of the segment behind it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { CagedRun } from './cage/cage.js';
import { killRun } from './cage/end-run.js';
import { ToolError } from './run-tool.js';
import { SampleSeries } from './sample-series.js';

/** The print of a minute has 2 kB. */
const OUTPUT_MAX = 16_384;
/** Anything but a descriptor makes ffmpeg write to its standard output. */
const SEGMENT = 'pipe:x';

/** Options of the output, up to the muxer of each segment. `seconds`: the step of the series. */
export const segmentOutput = (seconds: number): readonly string[] => [
  ...['-c:a', 'pcm_s16le', '-f', 'segment', '-segment_time', String(seconds), '-segment_format', 'chromaprint'],
  ...[
    '-segment_format_options',
    'fp_format=raw',
    '-segment_list',
    'pipe:1',
    '-segment_list_type',
    'csv',
    `${SEGMENT}%d`,
  ],
];

interface Waiting {
  readonly segment: number;
  readonly resolve: (items: Buffer | undefined) => void;
  readonly reject: (error: ToolError) => void;
}

export class KeptPrinter {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #series = new SampleSeries();
  #output: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;
  #isOver = false;

  constructor(run: CagedRun, ffmpeg: readonly string[]) {
    const { program, args } = run;
    const child = spawn(program, [...args, ...ffmpeg], { stdio: ['pipe', 'pipe', 'pipe'], env: {}, windowsHide: true });
    this.#child = child;
    child.on('error', () => {
      this.#end();
      if (child.pid === undefined) void run.end(undefined);
    });
    if (child.pid === undefined) {
      // Without a free file descriptor the child has no pipes either.
      this.#isOver = true;
      return;
    }
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (bytes: Buffer) => this.#takeOutput(bytes));
    // Its state after damaged sound is unknown. What it has so far comes at the end of its input.
    child.stderr.on('data', () => this.close());
    // What it has started may keep its output open.
    child.once('exit', () => void run.end(child));
    child.once('close', () => this.#end());
    this.#hold(false);
  }

  /** It takes no more samples. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * The items of a sample. One at a time. Undefined if it cannot be printed here: another process may tell why.
   * @throws ToolError after `timeoutMs`
   */
  async print(flv: Uint8Array, timeoutMs: number): Promise<Buffer | undefined> {
    const placed = this.#isOver ? undefined : this.#series.place(flv);
    if (placed === undefined) return undefined;
    this.#hold(true);
    const timer = setTimeout(() => this.#fail('TOOL_TIMEOUT', 'timed out'), timeoutMs);
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { segment: placed.segment, resolve, reject };
        this.#child.stdin.write(placed.bytes);
      });
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
      this.#hold(false);
    }
  }

  #takeOutput(bytes: Buffer): void {
    this.#output = Buffer.concat([this.#output, bytes]);
    if (this.#output.length > OUTPUT_MAX) this.#fail('TOOL_OUTPUT', 'too much output');
    const items = this.#take();
    if (items !== undefined) this.#waiting?.resolve(items);
  }

  /** Output before the line of the segment, without the line of the silence before. */
  #take(): Buffer | undefined {
    if (this.#waiting === undefined) return undefined;
    const { segment } = this.#waiting;
    const line = this.#output.indexOf(`${SEGMENT}${segment},`, 0, 'latin1');
    const end = line < 0 ? -1 : this.#output.indexOf('\n', line, 'latin1');
    if (end < 0) return undefined;
    const silence = this.#output.indexOf(`${SEGMENT}${segment - 1},`, 0, 'latin1');
    const from = segment === 0 || silence < 0 || silence > line ? 0 : this.#output.indexOf('\n', silence, 'latin1') + 1;
    const items = this.#output.subarray(from, line);
    this.#output = Buffer.from(this.#output.subarray(end + 1));
    return items;
  }

  #fail(code: ToolError['code'], message: string): void {
    this.#waiting?.reject(new ToolError(code, message, ''));
    this.#isOver = true;
    killRun(this.#child);
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting?.resolve(undefined);
  }

  /** Ends once it has written what it has. */
  close(): void {
    this.#isOver = true;
    if (this.#child.pid !== undefined) this.#child.stdin.end();
  }

  /** An idle process does not keep this one alive; it ends with its input. */
  #hold(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const each of [this.#child, stdin as Socket, stdout as Socket, stderr as Socket]) {
      if (isHeld) each.ref();
      else each.unref();
    }
  }
}
