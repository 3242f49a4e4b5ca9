import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFastStart } from '../../src/probe/containers/iso-bmff.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import { ToolError } from '../../src/probe/run-tool.js';
import { fileRecords } from '../../src/rules/judging/file-records.js';
import { strongCage } from '../support/cage.js';
import { inFull } from '../support/in-full.js';
import { ffprobe, type MediaFile, makeMedia, runFfmpeg } from '../support/media-files.js';
import { memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
let tools: MediaTools;

beforeAll(async () => {
  tools = await MediaTools.open({ cage: await strongCage(join(folder.path, 'tools')), log: memoryLog() });
});
afterAll(() => folder.remove());

const at = (name: string): string => join(folder.path, name);
const make = (name: string, file?: MediaFile): string => makeMedia(at(name), file);

async function codes(path: string): Promise<number[]> {
  const { facts } = await tools.probe(path);
  return fileRecords(facts, 0, (n) => `1_1_${n}`).map((record) => record.error_code);
}

test('a conforming file has no faults', async () => {
  const probed = await tools.probe(make('good.mp4', { options: ['-movflags', '+faststart'] }));
  expect(probed).toMatchObject({
    container: 'mp4',
    demuxer: 'mov',
    fastStart: true,
    video: { codec: 'h264', width: 320, height: 180, pixelFormat: 'yuv420p', frameRate: 30 },
    audio: { codec: 'aac', profile: 'LC', sampleRate: 48_000, channels: 2 },
  });
  expect(probed.facts.formatNames).toContain('mov');
  expect(probed.lengthMs).toBeGreaterThan(1_900);
  expect(probed.lengthMs).toBeLessThan(2_200);
  expect(await codes(at('good.mp4'))).toEqual([]);
});

test('detects a missing fast start', async () => {
  expect(await isFastStart(make('late-index.mp4'))).toBe(false);
  expect((await tools.probe(at('late-index.mp4'))).fastStart).toBe(false);
});

test('detects each fault separately', async () => {
  expect(await codes(make('square.mp4', { size: '240x240' }))).toEqual([6702]);
  expect(await codes(make('mp3.mp4', { audio: ['-c:a', 'libmp3lame'] }))).toEqual([6703]);
  expect(await codes(make('44100.mp4', { sampleRate: 44_100 }))).toEqual([6704]);
  expect(await codes(make('six.mp4', { layout: '5.1' }))).toEqual([6705]);
  expect(await codes(make('silent.mp4', { audio: null }))).toEqual([]);
  expect(await codes(make('mono.mkv', { layout: 'mono' }))).toEqual([]);
});

test('measures the audio bitrate, even if the container does not declare it', async () => {
  const noise = [
    '-f',
    'lavfi',
    '-i',
    'aevalsrc=random(0)*2-1|random(1)*2-1:s=48000',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=320x180:rate=30',
  ];
  for (const name of ['loud.mkv', 'loud.mp4', 'loud.ts']) {
    const loud = ['-c:a', 'aac', '-ac', '2', '-b:a', '400k', '-aac_pns', '0', '-aac_is', '0', '-aac_ms', '0'];
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', ...loud];
    runFfmpeg([...noise, '-t', '4', ...codecs, at(name)]);
    expect(await codes(at(name))).toEqual([6706]);
  }
});

inFull('applies rotation and sample aspect ratio', async () => {
  const upright = make('upright.mp4', { size: '320x180' });
  runFfmpeg(['-i', upright, '-c', 'copy', '-metadata:s:v:0', 'rotate=90', at('turned.mp4')]);
  const turned = await tools.probe(at('turned.mp4'));
  expect(Math.abs(turned.facts.video?.rotationDegrees ?? 0)).toBe(90);
  expect(turned.video).toMatchObject({ width: 180, height: 320 });
  expect(await codes(at('turned.mp4'))).toEqual([]);
  expect(await codes(make('wide.mkv', { size: '240x180', options: ['-aspect', '16:9'] }))).toEqual([]);
  expect(await codes(make('narrow.mkv', { size: '320x180', options: ['-aspect', '4:3'] }))).toEqual([6702]);
});

inFull('reads WebM as an unlisted container, and MP4 under another name as MP4', async () => {
  expect(await codes(make('a.webm', { video: ['-c:v', 'libvpx'], audio: ['-c:a', 'libvorbis'] }))).toEqual([
    6701, 6703,
  ]);
  writeFileSync(at('named.gif'), readFileSync(at('good.mp4')));
  expect((await tools.probe(at('named.gif'))).container).toBe('mp4');
});

test('an unreadable file has a reason without its path', async () => {
  const cut = make('cut.mp4');
  truncateSync(cut, 3_000);
  const { facts } = await tools.probe(cut);
  expect(facts.fault).toMatch(/moov|Invalid data/);
  expect(facts.fault).not.toContain(folder.path);
  expect(await codes(cut)).toEqual([6707]);
  writeFileSync(at('empty.mp4'), '');
  expect((await tools.probe(at('empty.mp4'))).facts.fault).toBe('the file is empty');
  expect(await codes(make('tone.mp4', { video: null }))).toEqual([6707]);
});

test('a playlist with an allowed file name opens no other file', async () => {
  writeFileSync(at('secret.txt'), 'secret');
  for (const text of [
    `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile://${at('secret.txt')}\n#EXT-X-ENDLIST\n`,
    `ffconcat version 1.0\nfile '${at('good.mp4')}'\n`,
    `#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/x.ts\n`,
  ]) {
    writeFileSync(at('playlist.mp4'), text);
    const probed = await tools.probe(at('playlist.mp4'));
    expect(probed.demuxer).toBeUndefined();
    expect(probed.video).toBeUndefined();
  }
});

test('a probe can be canceled', async () => {
  const stopped = new AbortController();
  stopped.abort();
  await expect(tools.probe(at('good.mp4'), stopped.signal)).rejects.toMatchObject({ code: 'TOOL_ABORTED' });
});

test('a stream copy gives a fast-start MP4 with the same packets', async () => {
  const source = make('source.mkv', { seconds: 3 });
  const parts: number[] = [];
  const output = at('copied.mp4');
  await tools.convert({
    input: source,
    demuxer: 'matroska',
    output,
    video: 'copy',
    audio: 'copy',
    lengthMs: 3_000,
    progress: { report: (part) => parts.push(part) },
  });
  expect(await isFastStart(output)).toBe(true);
  const packets = (path: string) => ffprobe(path).streams.map((stream) => [stream.codec_name, stream.nb_read_packets]);
  expect(packets(output)).toEqual(packets(source));
  expect(Math.max(...parts)).toBeGreaterThan(0.5);
});

test('encodes what cannot be copied, and takes a picture', async () => {
  const source = make('theora.ogv', { video: ['-c:v', 'libtheora'], audio: ['-c:a', 'libvorbis'], size: '322x182' });
  const output = at('encoded.mp4');
  await tools.convert({ input: source, demuxer: 'ogg', output, video: 'encode', audio: 'encode' });
  expect(ffprobe(output).streams.map((stream) => stream.codec_name)).toEqual(['h264', 'aac']);
  await tools.picture({ input: output, demuxer: 'mov', positionMs: 1_000, output: at('picture.jpg') });
  expect(readFileSync(at('picture.jpg')).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
});

test('converts a byte stream, and reports an error of the stream as the error', async () => {
  const flv = readFileSync(make('piped.flv', { seconds: 2 }));
  async function* whole() {
    for (let start = 0; start < flv.length; start += 50_000) yield flv.subarray(start, start + 50_000);
  }
  const output = at('piped.mp4');
  await tools.convert({ input: whole(), demuxer: 'flv', output, video: 'copy', audio: 'copy' });
  expect(Number(ffprobe(output).format.duration)).toBeCloseTo(2, 0);
  async function* broken() {
    yield flv.subarray(0, 50_000);
    throw new Error('no more');
  }
  await expect(
    tools.convert({ input: broken(), demuxer: 'flv', output: at('broken.mp4'), video: 'copy', audio: 'copy' }),
  ).rejects.toThrow('no more');
});

test('a conversion that ffmpeg refuses fails with a ToolError', async () => {
  const input = at('not-matroska.mkv');
  writeFileSync(input, 'neither audio nor video');
  const output = at('refused.mp4');
  const refused = tools.convert({ input, demuxer: 'matroska', output, video: 'copy', audio: 'copy' });
  await expect(refused).rejects.toBeInstanceOf(ToolError);
  expect(existsSync(output)).toBe(false);
});

test('ffprobe describes the stream in an FLV sample', async () => {
  expect(await tools.sample(readFileSync(at('piped.flv')))).toEqual({
    videoCodec: 'H.264',
    levelIdc: expect.any(Number),
    width: 320,
    height: 180,
    audioCodec: 'AAC LC',
    sampleRate: 48_000,
    channels: 2,
  });
});

test.each([
  ['zmbv.avi', ['-c:v', 'zmbv', '-an'], 'zmbv'],
  ['snow.avi', ['-c:v', 'snow', '-strict', '-2', '-an'], 'snow'],
  ['screen.flv', ['-c:v', 'flashsv2', '-an'], 'flashsv2'],
])('refuses %s, whose decoder is outside the list, by the name of its codec', async (name, codecs, codec) => {
  const sources = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90', '-f', 'lavfi', '-i', 'sine'];
  runFfmpeg([...sources, '-t', '1', ...codecs, at(name)]);
  const { facts } = await tools.probe(at(name));
  expect(facts.fault).toBe(`unsupported codec: ${codec}`);
});
