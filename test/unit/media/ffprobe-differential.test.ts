/** Compares our parsers with ffprobe, packet by packet, on small clips made by ffmpeg. */
import { spawnSync } from 'node:child_process';
import type { AudioSpecificConfig } from '../../../src/media/aac/audio-specific-config.js';
import { FlvFileReader } from '../../../src/media/flv/file-reader.js';
import { TagParser } from '../../../src/media/flv/tag-parser.js';
import type { Sps } from '../../../src/media/h264/sps.js';

interface Probed {
  streams: Record<string, string | number>[];
  packets: { codec_type: string; dts_time: string; pts_time: string; size: string; flags: string }[];
}

function run(command: string, args: readonly string[], input?: Buffer): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, maxBuffer: 64 << 20 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

function clip(args: string): Buffer {
  const full = `-v error -nostdin ${args} -fflags +bitexact -flvflags no_duration_filesize -f flv pipe:1`;
  return run('ffmpeg', full.split(' '));
}

function probe(file: Buffer): Probed {
  const args = '-v error -show_streams -show_packets -of json -i pipe:0'.split(' ');
  return JSON.parse(run('ffprobe', args, file).toString()) as Probed;
}

function readAll(file: Buffer) {
  const parser = new TagParser();
  const packets: { type: string; dtsMs: number; ptsMs: number; size: number; key: boolean }[] = [];
  const seen = {
    idr: 0,
    recoveryPoints: 0,
    faults: [] as string[],
    nalTypes: 0,
    encoder: '',
    videoCodec: '',
    audioCodec: '',
  };
  let sps: Sps | undefined;
  let asc: AudioSpecificConfig | undefined;
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => {
      if (kind === 'video') {
        parser.parseVideo(payload, timestampMs);
        const v = parser.video;
        sps = v.activeSps ?? sps;
        seen.videoCodec = v.codec;
        if (v.fault !== undefined) seen.faults.push(v.fault);
        if (v.type !== 'coded') return;
        seen.nalTypes |= v.nalTypes;
        seen.idr += v.idr ? 1 : 0;
        seen.recoveryPoints += v.recoveryPoint ? 1 : 0;
        seen.encoder = v.encoderSei ?? seen.encoder;
        const ptsMs = timestampMs + v.compositionTimeMs;
        packets.push({ type: 'video', dtsMs: timestampMs, ptsMs, size: v.payloadBytes, key: v.flvKeyFrame });
      } else if (kind === 'audio') {
        parser.parseAudio(payload, timestampMs);
        const a = parser.audio;
        asc = a.config ?? asc;
        seen.audioCodec = a.codec;
        if (a.fault !== undefined) seen.faults.push(a.fault);
        if (a.type === 'coded')
          packets.push({ type: 'audio', dtsMs: timestampMs, ptsMs: timestampMs, size: a.payloadBytes, key: true });
      }
    },
  });
  reader.push(file);
  expect(reader.end()).toBe(false);
  return { packets, sps, asc, ...seen };
}

function expectSamePackets(ours: ReturnType<typeof readAll>['packets'], theirs: Probed['packets']): void {
  const ms = (seconds: string): number => Math.round(Number(seconds) * 1000);
  for (const type of ['video', 'audio']) {
    expect(ours.filter((packet) => packet.type === type)).toEqual(
      theirs
        .filter((packet) => packet.codec_type === type)
        .map(({ dts_time, pts_time, size, flags }) => ({
          type,
          dtsMs: ms(dts_time),
          ptsMs: ms(pts_time),
          size: Number(size),
          key: flags.startsWith('K'),
        })),
    );
  }
}

/** Syntax elements that ffprobe does not show, by their names in the standard; absent ones are undefined. */
function syntaxElements(sps: Sps): Record<string, number | undefined> {
  const { vui } = sps;
  return {
    profile_idc: sps.profileIdc,
    level_idc: sps.levelIdc,
    constraint_set3_flag: (sps.constraintFlags >> 4) & 1,
    log2_max_frame_num_minus4: sps.log2MaxFrameNum - 4,
    pic_order_cnt_type: sps.picOrderCntType,
    max_num_ref_frames: sps.maxNumRefFrames,
    pic_width_in_mbs_minus1: sps.picWidthInMbs - 1,
    frame_mbs_only_flag: Number(sps.frameMbsOnly),
    aspect_ratio_idc: vui?.aspectRatioIdc,
    num_units_in_tick: vui?.timing?.numUnitsInTick,
    time_scale: vui?.timing?.timeScale,
    fixed_frame_rate_flag: vui?.timing && Number(vui.timing.fixedFrameRate),
    pic_struct_present_flag: Number(vui?.picStructPresent),
    max_num_reorder_frames: vui?.bitstreamRestriction?.maxNumReorderFrames,
    max_dec_frame_buffering: vui?.bitstreamRestriction?.maxDecFrameBuffering,
  };
}

/** The first value of each element in ffmpeg's trace of the headers. */
function tracedElements(file: Buffer, names: readonly string[]): Record<string, number | undefined> {
  const args = '-v info -nostdin -i pipe:0 -c copy -bsf:v trace_headers -frames:v 1 -f null -'.split(' ');
  const { stderr } = spawnSync('ffmpeg', args, { input: file, maxBuffer: 64 << 20 });
  const value = (name: string): number | undefined => {
    const line = new RegExp(`\\b${name}\\s+[01]+ = (-?\\d+)`).exec(stderr.toString());
    return line ? Number(line[1]) : undefined;
  };
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}

const PICTURE = '-f lavfi -i testsrc=size=SIZE:rate=30 -t 1.5';
const picture = (size: string): string => PICTURE.replace('SIZE', size);
const X264 = '-pix_fmt yuv420p -c:v libx264 -preset ultrafast';

describe('H.264 by x264', () => {
  test.each<[string, string, object]>([
    [
      '360p, high',
      `${picture('640x360')} -pix_fmt yuv420p -c:v libx264 -preset veryfast -g 15`,
      { idr: 3, recoveryPoints: 0 },
    ],
    ['854x480, baseline', `${picture('854x480')} ${X264} -profile:v baseline -g 30`, { idr: 2 }],
    ['B pictures', `${picture('320x180')} ${X264} -bf 3 -b_strategy 0 -g 30`, { idr: 2 }],
    ['odd sample aspect', `${picture('320x180')} ${X264} -vf setsar=1001/1000`, { idr: 1 }],
    ['4:2:2, 10 bit', `${picture('320x180')} -pix_fmt yuv422p10le -c:v libx264 -preset ultrafast`, { idr: 1 }],
    ['4:4:4', `${picture('322x180')} -pix_fmt yuv444p -c:v libx264 -preset ultrafast`, { idr: 1 }],
    ['monochrome', `${picture('322x182')} -pix_fmt gray -c:v libx264 -preset ultrafast`, { idr: 1 }],
    ['interlaced', `${picture('320x180')} ${X264} -flags +ilme+ildct`, { idr: 1 }],
    [
      'open GOP',
      `${picture('320x180')} ${X264} -bf 2 -x264-params open-gop=1:keyint=15:min-keyint=15:scenecut=0`,
      { idr: 1, recoveryPoints: 2 },
    ],
    [
      'intra refresh',
      `${picture('320x180')} ${X264} -x264-params intra-refresh=1:keyint=15`,
      { idr: 1, recoveryPoints: 0 },
    ],
    [
      'CBR with filler and HRD',
      `${picture('320x180')} ${X264} -b:v 800k -minrate 800k -maxrate 800k -bufsize 800k -x264-params nal-hrd=cbr:aud=1`,
      { idr: 1 },
    ],
    [
      'four slices, parameter sets in band',
      `${picture('320x180')} ${X264} -x264-params slices=4:repeat-headers=1:keyint=15`,
      { idr: 3 },
    ],
    [
      'level 1b',
      `-f lavfi -i testsrc=size=176x144:rate=15 -t 1 ${X264} -profile:v baseline -level 1b -b:v 60k -maxrate 60k -bufsize 60k`,
      { idr: 1, sps: { level: '1b', levelTimes10: 9 } },
    ],
  ])('%s', (_name, args, expected) => {
    const file = clip(args);
    const theirs = probe(file);
    const ours = readAll(file);
    const stream = theirs.streams.find(({ codec_type }) => codec_type === 'video') ?? {};
    expect(ours).toMatchObject({ videoCodec: 'avc1', faults: [], ...expected });
    expectSamePackets(ours.packets, theirs.packets);
    const { sps } = ours;
    const aspect = sps?.vui ? `${sps.vui.sarWidth}:${sps.vui.sarHeight}` : '1:1';
    expect({
      width: sps?.width,
      height: sps?.height,
      level: sps?.levelIdc,
      profile: sps?.profile,
      sample_aspect_ratio: aspect,
      has_b_frames: sps?.vui?.bitstreamRestriction?.maxNumReorderFrames,
    }).toEqual({
      width: stream.width,
      height: stream.height,
      level: stream.level,
      profile: stream.profile,
      sample_aspect_ratio: stream.sample_aspect_ratio ?? '1:1',
      has_b_frames: stream.has_b_frames,
    });
    expect(ours.encoder).toMatch(/^x264 - core/);
    expect(syntaxElements(sps as Sps)).toEqual(tracedElements(file, Object.keys(syntaxElements(sps as Sps))));
  });
});

describe('audio', () => {
  const tone = (rate: number, channels: number): string =>
    `-f lavfi -i sine=sample_rate=${rate}:duration=1 -ac ${channels}`;

  test.each([
    ['AAC 48 kHz stereo', `${tone(48000, 2)} -c:a aac`, 'mp4a', 48000, 2],
    ['AAC 44.1 kHz mono', `${tone(44100, 1)} -c:a aac`, 'mp4a', 44100, 1],
    ['AAC 5.1', `${tone(48000, 6)} -c:a aac`, 'mp4a', 48000, 6],
    ['MP3', `${tone(44100, 2)} -c:a libmp3lame`, '.mp3', 44100, 2],
    ['G.711', `${tone(8000, 1)} -c:a pcm_alaw`, 'g711-alaw', 8000, 1],
    ['Nellymoser', `${tone(44100, 1)} -c:a nellymoser`, 'nellymoser', 44100, 1],
  ])('%s', (_name, args, codec, rate, channels) => {
    const file = clip(args);
    const theirs = probe(file);
    const ours = readAll(file);
    expect(ours).toMatchObject({ audioCodec: codec, faults: [] });
    expectSamePackets(ours.packets, theirs.packets);
    expect(theirs.streams[0]).toMatchObject({ sample_rate: String(rate), channels });
    if (codec === 'mp4a') expect(ours.asc).toMatchObject({ sampleRate: rate, channels, objectTypeName: 'AAC LC' });
  });
});

test("reads FLV's own codec interleaved with AAC", () => {
  const file = clip(`${picture('320x180')} -f lavfi -i sine -t 1 -c:v flv1 -c:a aac -ar 44100`);
  const ours = readAll(file);
  expect(ours).toMatchObject({ videoCodec: 'sorenson-h263', audioCodec: 'mp4a', faults: [] });
  expectSamePackets(ours.packets, probe(file).packets);
});
