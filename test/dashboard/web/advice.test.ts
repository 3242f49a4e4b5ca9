/** The remedies of all open errors, as one thing to do. */
import { adviceOf } from '../../../src/dashboard/web/shared/advice.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

const record = (sequence: number, remediation: string, severity: ErrorView['severity'] = 'error'): ErrorView =>
  ({ sequence, remediation, severity }) as ErrorView;

const GOP = 'With ffmpeg: -g 60 at 30 fps (-g 120 at 60 fps).';

test('each remedy once, errors before warnings', () => {
  const { steps, text } = adviceOf([
    record(1, 'Lower the bitrate.', 'warning'),
    record(2, 'Set Channels to Stereo.'),
    record(3, 'Set Channels to Stereo.'),
    record(4, ''),
  ]);
  expect(steps).toEqual(['Set Channels to Stereo.', 'Lower the bitrate.']);
  expect(text).toBe('Set Channels to Stereo.\nLower the bitrate.');
});

test.each([
  [30, 'With ffmpeg: -g 60.'],
  [60, 'With ffmpeg: -g 120.'],
  [undefined, GOP],
] as const)('at %s fps a remedy says the value for it', (fps, expected) => {
  expect(adviceOf([record(1, GOP)], fps === undefined ? {} : { frame_rate_class: fps }).steps).toEqual([expected]);
});

const broken = (code: number, remediation: string, over: object = {}): ErrorView =>
  ({ ...record(code, remediation), error_code: code, ...over }) as ErrorView;

const LOWER = 'With ffmpeg: lower -b:v, with -maxrate and -bufsize at the same value.';
const SENT = { width: 640, height: 360, frame_rate_class: 30, video_bitrate_kbps: 1_400 } as const;

test('a line for ffmpeg has the number of each broken rule, whatever the words of their remedies', () => {
  const three = [broken(6208, GOP), broken(6210, LOWER), broken(6304, 'With ffmpeg: -ac 2.')];
  const { line, text, fields } = adviceOf(three, SENT);
  expect(line?.text).toBe('-b:v 900k -maxrate 900k -bufsize 900k -g 60 -ac 2');
  expect(text.split('\n').at(-1)).toBe(line?.text);
  expect(fields).toEqual([]);
  // A rule without a setting keeps its step, and the line stands beside it.
  const late = broken(6407, 'With ffmpeg: -re before the -i of a file.');
  expect(adviceOf([...three, late], SENT)).toMatchObject({ line: { text: line?.text } });
  expect(adviceOf([late], SENT).line).toBeUndefined();
});

test('one remedy that is a line already is not said twice', () => {
  expect(adviceOf([broken(6304, 'With ffmpeg: -ac 2.')], SENT).line).toBeUndefined();
});

test('another size comes with a bitrate of its range', () => {
  const sent = { width: 1_440, height: 1_080, frame_rate_class: 30, video_bitrate_kbps: 9_000 } as const;
  expect(adviceOf([broken(6207, 'With ffmpeg: -vf …')], sent).line?.text).toBe(
    '-vf "scale=1920:1080:force_original_aspect_ratio=decrease,pad=1920:1080:-1:-1,setsar=1" ' +
      '-b:v 5400k -maxrate 5400k -bufsize 5400k',
  );
});

test('a small uplink bounds the bitrate', () => {
  const sent = { width: 1_280, height: 720, frame_rate_class: 30, video_bitrate_kbps: 3_800 } as const;
  const uplink = broken(6902, 'With ffmpeg: lower -b:v and -maxrate to 2,300 kbps.', { observed: 3_000 });
  expect(adviceOf([uplink], sent).line?.text).toBe('-b:v 2250k -maxrate 2250k -bufsize 2250k');
});

test('GStreamer gets the changed parts of its pipeline', () => {
  const g = 'With GStreamer, do it.';
  const codes = [6208, 6211, 6213, 6303, 6304, 6305].map((code) => broken(code, g));
  expect(adviceOf(codes, { ...SENT, video_bitrate_kbps: 200 }).line?.text.split('\n')).toEqual([
    'videoconvert ! video/x-raw,format=I420 ! x264enc bitrate=700 key-int-max=60 ' +
      'option-string="nal-hrd=cbr:vbv-maxrate=700:vbv-bufsize=700"',
    'audioconvert ! audioresample ! audio/x-raw,rate=48000,channels=2 ! avenc_aac bitrate=128000',
  ]);
});

test('OBS gets its fields with their values, also by its name alone', () => {
  const codes = [6208, 6210, 6304].map((code) => broken(code, 'Change it.'));
  expect(adviceOf(codes, { ...SENT, encoder: 'OBS Studio 32.0.0' }).fields).toEqual([
    { place: 'Settings > Output', field: 'Output Mode', value: 'Advanced' },
    { place: 'Settings > Output > Streaming', field: 'Rate Control', value: 'CBR' },
    { place: 'Settings > Output > Streaming', field: 'Bitrate', value: '900 Kbps' },
    { place: 'Settings > Output > Streaming', field: 'Keyframe Interval', value: '2 s' },
    { place: 'Settings > Audio', field: 'Channels', value: 'Stereo' },
  ]);
  expect(adviceOf(codes, { ...SENT, encoder: 'vMix 27' })).toMatchObject({ fields: [] });
});
