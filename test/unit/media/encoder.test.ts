import { recognizeEncoder } from '../../../src/media/encoder.js';

const FMLE = 'FMLE/3.0 (compatible; FMSc/1.0)';

describe('recognizing encoders', () => {
  test.each([
    // What OBS 30 sends (obs-studio, plugins/obs-outputs/flv-mux.c and rtmp-stream.c).
    ['OBS', FMLE, { encoder: 'obs-output module (libobs version 30.2.3)' }, 'obs', 'OBS Studio', '30.2.3'],
    [
      'a distribution of OBS',
      FMLE,
      { encoder: 'obs-output module (libobs version 25.0.3+dfsg1-2)' },
      'obs',
      'OBS Studio',
      '25.0.3+dfsg1-2',
    ],
    ['OBS of 2015', 'FMLE/3.0 (compatible; obs-studio/0.11.4; FMSc/1.0)', {}, 'obs', 'OBS Studio', '0.11.4'],
    [
      'ffmpeg',
      'FMLE/3.0 (compatible; Lavf59.27.100)',
      { encoder: 'Lavf59.27.100' },
      'ffmpeg',
      'FFmpeg (libavformat)',
      '59.27.100',
    ],
    [
      'ffmpeg without metadata',
      'FMLE/3.0 (compatible; Lavf57.83.100)',
      undefined,
      'ffmpeg',
      'FFmpeg (libavformat)',
      '57.83.100',
    ],
    // Defaults of flvmux in GStreamer 1.22.
    [
      'GStreamer',
      FMLE,
      { encoder: 'GStreamer 1.22.0 FLV muxer', metadatacreator: 'GStreamer 1.22.0 FLV muxer' },
      'gstreamer',
      'GStreamer',
      '1.22.0',
    ],
    ['Wirecast', 'Wirecast/FM 1.0 (compatible; FMSc/1.0)', {}, 'wirecast', 'Wirecast', ''],
    // XSplit 3.4, as logged by an ingest server (OvenMediaEngine).
    [
      'XSplit',
      FMLE,
      { videodevice: 'VHVideoCustom', pluginName: 'CustomRTMP', pluginVersion: '3.4.1805.1801' },
      'xsplit',
      'XSplit Broadcaster',
      '3.4.1805.1801',
    ],
    ['older XSplit', FMLE, { videodevice: 'XSplitBroadcaster' }, 'xsplit', 'XSplit Broadcaster', ''],
    // Assumed from the products' names, not captured.
    ['Larix', 'Larix/1.3.5', {}, 'larix', 'Larix Broadcaster', '1.3.5'],
    [
      'vMix, which muxes with FFmpeg',
      'FMLE/3.0 (compatible; Lavf58.12.100)',
      { encoder: 'vMix 26.0.0.40' },
      'vmix',
      'vMix',
      '26.0.0.40',
    ],
    [
      'Streamlabs, which is built on libobs',
      FMLE,
      { encoder: 'Streamlabs output module (libobs version 29.1.3)' },
      'streamlabs',
      'Streamlabs Desktop',
      '29.1.3',
    ],
    ['Teradek', 'Teradek Cube 7.3', {}, 'hardware', 'Teradek', '7.3'],
    ['a library that names itself', 'HaishinKit/1.9.1', {}, 'unknown', 'HaishinKit/1.9.1', ''],
    ['the imitation of Adobe', FMLE, {}, 'unknown', 'unknown', ''],
    ['a Flash Player', 'LNX 9,0,124,2', {}, 'unknown', 'unknown', ''],
    ['nothing at all', undefined, undefined, 'unknown', 'unknown', ''],
    ['values that are no strings', FMLE, { encoder: 7, software: null }, 'unknown', 'unknown', ''],
  ])('%s', (_name, clientName, metadata, family, name, version) => {
    expect(recognizeEncoder({ clientName, metadata })).toEqual({ family, name, version, videoEncoder: '' });
  });

  test("takes the video encoder from x264's text, and not the program", () => {
    const encoderSei = 'x264 - core 164 r3095 baee400 - H.264/MPEG-4 AVC codec - options: keyint=60 bitrate=2500';
    expect(recognizeEncoder({ encoderSei })).toMatchObject({ family: 'unknown', videoEncoder: 'x264 core 164 r3095' });
  });

  test('bounds the work for a name of a megabyte', () => {
    const long = 'a'.repeat(1_000_000);
    expect(recognizeEncoder({ clientName: long, metadata: { encoder: long } }).name).toHaveLength(200);
  });
});

describe('x264 within a stream', () => {
  test.each([
    ['x264 - core 142 - H.264/MPEG-4 AVC codec - Copyleft 2003 - options: cabac=1', 'x264 core 142'],
    ['x264 - core 164 r3095 baee400', 'x264 core 164 r3095'],
    ['x265 (build 199)', ''],
  ])('%s', (encoderSei, videoEncoder) => expect(recognizeEncoder({ encoderSei }).videoEncoder).toBe(videoEncoder));
});
