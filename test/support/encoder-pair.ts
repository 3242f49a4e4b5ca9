/** A broadcast of two encoders: real ffmpeg processes with clocks of their own, and what is to hold of their recording. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Airlock } from './airlock.js';
import { over, type SourceOptions, source, start } from './ffmpeg.js';
import { FlvViewer } from './playback-harness.js';

const run = promisify(execFile);

/** `AIRLOCK_BACKUP_AFTER_MS` of the servers. */
export const AFTER_MS = 1_500;
export const KEY_FRAMES_MS = 1_000;
/** For a busy machine, on which ffmpeg is late. */
export const SLACK_MS = 1_500;
/** A process that died loses the air after the time that its signs of life count, and two tries of the other one. */
export const DEAD_MS = 2_000;

const SMALL: SourceOptions = { size: '640x360', videoKbps: 600, keyFrames: 30, seconds: 240 };

export interface Input {
  readonly id: string;
  readonly secure_stream_url: string;
  readonly on_air: boolean;
  readonly stream_health?: { readonly audio_sample_rate: number; readonly encoder: string };
}

export class EncoderPair {
  readonly id: string;
  readonly inputs: readonly [Input, Input];
  /** Is asked; another server while it is away. */
  asked: Airlock;

  private constructor(asked: Airlock, id: string, inputs: readonly [Input, Input]) {
    this.asked = asked;
    this.id = id;
    this.inputs = inputs;
  }

  static async create(airlock: Airlock, params: Record<string, string> = {}): Promise<EncoderPair> {
    const { id } = await airlock.createLive({ enable_backup_ingest: 'true', ...params });
    const [primary, backup]: Input[] = (await airlock.get(`/${id}/input_streams`)).data;
    if (primary === undefined || backup === undefined) throw new Error('no two input streams');
    return new EncoderPair(airlock, id, [primary, backup]);
  }

  /** Starts an encoder. `clockMs`: its timestamps begin there; `port`: of a way to the server, in place of its own. */
  encode(index: 0 | 1, to: Airlock = this.asked, more: SourceOptions = {}, clockMs = 0, port?: number) {
    const key = this.inputs[index].secure_stream_url.split('/').at(-1);
    const url = new URL(`${to.quickstart.stream_url_base}${key}`);
    if (port !== undefined) url.port = String(port);
    const offset = ['-output_ts_offset', String(clockMs / 1000)];
    return start([...source({ ...SMALL, ...more }), ...offset, ...over(url.href, to.authorityFile)], 300_000);
  }

  until(holds: (found: readonly Input[]) => boolean): Promise<readonly Input[]> {
    return this.asked.until(async () => (await this.asked.get(`/${this.id}/input_streams`)).data ?? [], holds);
  }

  onAir(index: 0 | 1): Promise<readonly Input[]> {
    return this.until((found) => found[index]?.on_air === true && found[1 - index]?.on_air === false);
  }

  /** Resolves when both are received. */
  both(): Promise<readonly Input[]> {
    return this.until((found) => found.every(({ stream_health: health }) => health?.audio_sample_rate !== undefined));
  }

  /** A viewer of the preview. */
  preview(at: Airlock = this.asked): FlvViewer {
    const { http_url: url, access_token: token } = at.quickstart;
    return new FlvViewer(`${url}/playback/${this.id}.flv`, { authorization: `Bearer ${token}` });
  }

  command(index: 0 | 1): Promise<unknown> {
    return this.asked.post(`/${this.inputs[index].id}`, { on_air: 'true' });
  }

  /** The gap of the last switch as 6507 tells it; negative for an overlap. */
  async toldGapMs(switches: number): Promise<number> {
    const rows = await this.asked.until(
      () => this.asked.errors(this.id, { error_code: '6507' }),
      (found) => found.reduce((sum, { count }) => sum + count, 0) >= switches,
    );
    const [newest] = [...rows].sort((a, b) => Number(b.revision ?? 0) - Number(a.revision ?? 0));
    const [, what, ms] = /(gap|overlap) (\d+) ms/.exec(newest?.description ?? '') ?? [];
    if (ms === undefined) throw new Error(`no gap is told: ${newest?.description}`);
    return what === 'gap' ? Number(ms) : -Number(ms);
  }

  /** Ends the broadcast; resolves with its recording once it can be played. */
  async recorded(): Promise<{ readonly source: string; readonly length: number }> {
    await this.asked.post(`/${this.id}`, { end_live_video: 'true' });
    await this.asked.until(
      () => this.asked.get(`/${this.id}`, { fields: 'status' }),
      (body) => body.status === 'VOD',
    );
    return (await this.asked.get(`/${this.id}`, { fields: 'video{source,length}' })).video;
  }
}

export function expectNeverBack(messages: readonly { readonly kind: string; readonly timestampMs: number }[]): void {
  for (const kind of ['audio', 'video']) {
    const times = messages.filter((each) => each.kind === kind).map(({ timestampMs }) => timestampMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
}

export interface TrackTimes {
  readonly leastMs: number;
  readonly mostMs: number;
  readonly lastMs: number;
}

/** Steps between the decode times of a file's packets, and the last of them. */
export async function tracksOf(file: string): Promise<Readonly<Record<'video' | 'audio', TrackTimes>>> {
  const packets = ['-v', 'error', '-show_entries', 'packet=codec_type,dts_time', '-of', 'csv=p=0', file];
  const { stdout } = await run('ffprobe', packets, { maxBuffer: 64 * 1024 * 1024 });
  const rows = stdout.trim().split('\n');
  const timesOf = (kind: string): TrackTimes => {
    const times = rows.filter((row) => row.startsWith(kind)).map((row) => Number(row.split(',')[1]) * 1000);
    const steps = times.slice(1).map((ms, at) => ms - (times[at] ?? 0));
    return { leastMs: Math.min(...steps), mostMs: Math.max(...steps), lastMs: times.at(-1) ?? 0 };
  };
  return { video: timesOf('video'), audio: timesOf('audio') };
}

/** No step back, no step of `longestMs`, and both tracks as long as the video is said to be. */
export async function expectPlaysThrough(
  { source: file, length }: { readonly source: string; readonly length: number },
  longestMs: number,
): Promise<void> {
  for (const { leastMs, mostMs, lastMs } of Object.values(await tracksOf(file))) {
    expect(leastMs).toBeGreaterThanOrEqual(0);
    expect(mostMs).toBeLessThan(longestMs);
    expect(Math.abs(lastMs / 1000 - length)).toBeLessThan(1);
  }
}
