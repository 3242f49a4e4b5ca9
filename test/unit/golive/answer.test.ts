/** The answer to OBS as a function of its request, against the tables of the specification. */
import fc from 'fast-check';
import { parseGoLive } from '../../../src/api/obs/request.js';
import { answerTo, refusalAnswer, refusalText } from '../../../src/golive/answer.js';
import type { EncoderWishes } from '../../../src/golive/plan.js';
import { PROFILE_NAMES } from '../../../src/golive/profile-choice.js';
import { configId, configIdOf } from '../../../src/golive/request.js';
import { bitrateRange } from '../../../src/rules/profile.js';
import { LIVE } from '../../../src/spec/live.js';
import { obs30Request, obs32Request } from '../../support/go-live-request.js';

const URL_BASE = 'rtmps://live.example:1936/live/';

function answerFor(body: object, wishes?: EncoderWishes, userAgent = 'obs-basic 32.2.2 (linux)') {
  const request = parseGoLive(JSON.stringify(body), userAgent);
  if (request === undefined) throw new Error('the request is not understood');
  const setup = { configId: 'airlock-1', streamUrlBase: URL_BASE };
  return answerTo(request, wishes === undefined ? setup : { ...setup, wishes }).answer;
}

const encoderOf = (answer: ReturnType<typeof answerFor>) => {
  const [encoder] = answer.encoder_configurations;
  if (encoder === undefined) throw new Error('no encoder');
  return encoder;
};

test.each([
  ['30.2', obs30Request({ key: 'k' })],
  ['32', obs32Request({ key: 'k' })],
])('OBS %s at 720p30 gets the middle of the row, CBR, key frames every 2 s and no dialog', (_name, body) => {
  const answer = answerFor(body);
  const row = LIVE.profiles.find(({ name }) => name === '720p at 30 FPS');
  expect(answer.status).toBeUndefined();
  expect(answer.meta).toEqual({ service: 'IVS', schema_version: body.schema_version, config_id: 'airlock-1' });
  expect(answer.ingest_endpoints).toEqual([{ protocol: 'RTMP', url_template: `${URL_BASE}{stream_key}` }]);
  expect(encoderOf(answer)).toMatchObject({ type: 'obs_x264', width: 1280, height: 720 });
  expect(encoderOf(answer).framerate).toEqual({ numerator: 30, denominator: 1 });
  expect(encoderOf(answer).settings).toMatchObject({
    rate_control: 'CBR',
    bitrate: ((row?.videoBitrateKbps.min ?? 0) + (row?.videoBitrateKbps.max ?? 0)) / 2,
    keyint_sec: 2,
    x264opts: 'scenecut=0',
    profile: 'high',
  });
  expect(answer.audio_configurations).toEqual({
    live: [{ codec: 'ffmpeg_aac', track_id: 1, channels: 2, settings: { bitrate: 128 } }],
  });
});

test.each([
  ['1080p60', { canvas: [1920, 1080], fps: [60, 1] }, { width: 1920, height: 1080 }, 6_750],
  ['1080p at 59.94', { canvas: [1920, 1080], fps: [60_000, 1_001] }, { width: 1920, height: 1080 }, 6_750],
  ['a 1080p canvas with an output of 720p', { canvas: [1920, 1080], output: [1280, 720] }, { width: 1280 }, 2_750],
  ['4K at 60 fps', { canvas: [3840, 2160], fps: [60, 1] }, { width: 1920, height: 1080 }, 6_750],
  ['900p', { canvas: [1600, 900] }, { width: 1280, height: 720 }, 2_750],
  ['480p of OBS', { canvas: [852, 480] }, { width: 854, height: 480 }, 1_300],
  ['a tiny canvas', { canvas: [320, 180] }, { width: 640, height: 360 }, 700],
  ['480p at 60 fps', { canvas: [854, 480], fps: [60, 1] }, { framerate: { numerator: 60, denominator: 2 } }, 1_300],
  ['720p at 120 fps', { canvas: [1280, 720], fps: [120, 1] }, { framerate: { numerator: 120, denominator: 2 } }, 4_125],
] as const)('%s gets the largest profile that fits', (_name, wanted, encoder, kbps) => {
  const found = encoderOf(answerFor(obs32Request({ key: 'k', ...wanted })));
  expect(found).toMatchObject(encoder);
  expect(found.settings.bitrate).toBe(kbps);
});

test.each([
  [0x10de, 'Windows', '32.2.2', false, 'obs_nvenc_h264_tex'],
  [0x10de, 'Windows', '30.2.3', false, 'jim_nvenc'],
  [0x1002, 'Windows', '32.2.2', false, 'h264_texture_amf'],
  [0x8086, 'Windows', '32.2.2', false, 'obs_qsv11_v2'],
  [0x8086, 'Debian GNU/Linux', '32.2.2', false, 'ffmpeg_vaapi_tex'],
  [0x106b, 'macOS', '32.2.2', true, 'com.apple.videotoolbox.videoencoder.ave.avc'],
  [0x8086, 'macOS', '32.2.2', false, 'obs_x264'],
  [0x1234, 'Windows', '32.2.2', false, 'obs_x264'],
])('GPU vendor %i on %s with OBS %s (arm: %s) encodes with %s', (gpuVendorId, systemName, version, isArm, type) => {
  const encoder = encoderOf(answerFor(obs32Request({ key: 'k', gpuVendorId, systemName, version, isArm })));
  expect(encoder.type).toBe(type);
  expect(encoder.settings).toMatchObject({ rate_control: 'CBR', bitrate: 2_750, keyint_sec: 2 });
});

test.each([
  ['mono', { channels: 1 }, 'Audio is mono', 'Settings &gt; Audio &gt; General &gt; Channels'],
  ['5.1', { channels: 6 }, 'Audio is 6 channels', 'Channels to Stereo'],
  ['32 kHz', { sampleRateHz: 32_000 }, '32 kHz', 'Sample Rate to 48 kHz'],
  ['4:3', { canvas: [1024, 768] }, '1024x768', 'Base (Canvas) Resolution'],
  ['50 fps', { fps: [50, 1] }, '50 fps', 'Common FPS Values to 60 or 30'],
  ['a bandwidth below every profile', { maxKbps: 300 }, 'leaves 172 kbps', 'Maximum Streaming Bandwidth'],
] as const)('%s is a warning that names the setting', (_name, wanted, fault, place) => {
  const { status, encoder_configurations } = answerFor(obs32Request({ key: 'k', ...wanted }));
  expect(status?.result).toBe('warning');
  expect(status?.html_en_us).toContain(fault);
  expect(status?.html_en_us).toContain(place);
  expect(encoder_configurations).toHaveLength(1);
});

test('a picture that is not 16:9 is not distorted', () => {
  const { width, height } = encoderOf(answerFor(obs32Request({ key: 'k', canvas: [1024, 768] })));
  expect(width / height).toBeCloseTo(4 / 3, 2);
  expect(height).toBeLessThanOrEqual(1080);
});

test('for fewer channels than the user has, OBS would only cancel: the number of the user is returned', () => {
  const { live } = answerFor(obs32Request({ key: 'k', channels: 6 })).audio_configurations;
  expect(live[0]?.channels).toBe(6);
});

test('the bandwidth that the user allows chooses a smaller profile, audio included', () => {
  const encoder = encoderOf(answerFor(obs32Request({ key: 'k', canvas: [1920, 1080], fps: [60, 1], maxKbps: 3_000 })));
  expect(encoder).toMatchObject({ width: 1280, height: 720, settings: { bitrate: 2_872 } });
});

test('follows the settings of the operator within the row of the profile', () => {
  const body = obs32Request({ key: 'k', canvas: [1920, 1080], fps: [60, 1] });
  expect(encoderOf(answerFor(body, { profile: '720p30', videoKbps: 2_000 }))).toMatchObject({
    width: 1280,
    framerate: { numerator: 60, denominator: 2 },
    settings: { bitrate: 2_000 },
  });
  expect(encoderOf(answerFor(body, { profile: '720p30', videoKbps: 9_000 })).settings.bitrate).toBe(4_000);
  expect(PROFILE_NAMES).toEqual(['1080p60', '1080p30', '720p60', '720p30', '480p30', '360p']);
});

test('the answer to any canvas is inside the ranges that the stream is judged by', () => {
  const side = fc.integer({ min: 16, max: 8_000 });
  const number = fc.integer({ min: 1, max: 240_000 });
  fc.assert(
    fc.property(side, side, number, fc.integer({ min: 1, max: 1_001 }), (width, height, numerator, denominator) => {
      fc.pre(numerator / denominator >= 1 && numerator / denominator <= 1_000);
      const wanted = { key: 'k', canvas: [width, height], fps: [numerator, denominator] } as const;
      const { width: sentWidth, height: sentHeight, framerate, settings } = encoderOf(answerFor(obs32Request(wanted)));
      expect(sentWidth).toBeLessThanOrEqual(1920);
      expect(sentHeight).toBeLessThanOrEqual(1080);
      const rate = framerate.numerator / framerate.denominator;
      expect(rate).toBeLessThanOrEqual(60.5);
      // OBS divides by floor(canvas / target): the target must be an exact fraction of the canvas.
      expect((numerator * framerate.denominator) % (denominator * framerate.numerator)).toBe(0);
      const isWide = Math.abs(width / height / (16 / 9) - 1) <= 0.01;
      if (isWide) {
        const range = bitrateRange(sentWidth, sentHeight, rate > 45 ? 60 : 30);
        expect(settings.bitrate).toBeGreaterThanOrEqual(range.minKbps);
        expect(settings.bitrate).toBeLessThanOrEqual(range.maxKbps);
      }
    }),
    { numRuns: 300, examples: [[1272, 712, 182, 3]] },
  );
});

test('does not exceed the bitrate that the uplink of the last broadcast carried, and chooses a smaller profile', () => {
  const request = parseGoLive(JSON.stringify(obs32Request({ key: 'k', canvas: [1920, 1080] })), 'obs-basic');
  if (request === undefined) throw new Error('the request is not understood');
  const setup = { configId: 'airlock-1', streamUrlBase: URL_BASE };
  const { answer } = answerTo(request, { ...setup, wishes: { videoKbps: 6_000 }, last: { uplinkVideoKbps: 1_900 } });
  expect(encoderOf(answer)).toMatchObject({ height: 720, settings: { bitrate: 1_900 } });
  expect(answer.status).toBeUndefined();
  const slow = answerTo(request, {
    ...setup,
    last: { uplinkVideoKbps: 200, findings: ['The audio is <silent>.'] },
  }).answer;
  expect(encoderOf(slow).settings.bitrate).toBe(200);
  expect(slow.status?.html_en_us).toContain('the uplink carries 200 kbps of video');
  expect(slow.status?.html_en_us).toContain('<li>The audio is &lt;silent&gt;.</li>');
  const slowest = answerTo(request, { ...setup, last: { uplinkVideoKbps: 30 } }).answer;
  expect(encoderOf(slowest)).toMatchObject({ height: 360, settings: { bitrate: 100 } });
  expect(slowest.status?.html_en_us).toContain('the uplink carries 30 kbps of video');
});

test.each([
  ['1080p60', { canvas: [1920, 1080], fps: [60, 1] }, [1080, 720], [6_750, 2_750]],
  ['720p30', {}, [720, 480], [2_750, 1_300]],
  ['480p', { canvas: [854, 480] }, [480, 360], [1_300, 700]],
  ['360p: there is no smaller size', { canvas: [640, 360] }, [360], [700]],
  ['a user who allows one track', { maxTracks: 1 }, [720], [2_750]],
  ['a bandwidth that leaves too little', { maxKbps: 3_100 }, [720], [2_750]],
  ['a bandwidth that leaves a part', { maxKbps: 4_000 }, [720, 480], [2_750, 1_122]],
] as const)(
  'a multitrack answer at %s has the sizes that fit, at the same pictures',
  (_name, wanted, heights, kbps) => {
    const answer = answerFor(obs32Request({ key: 'k', ...wanted }), { isMultitrack: true });
    const tracks = answer.encoder_configurations;
    expect(tracks.map(({ height }) => height)).toEqual(heights);
    expect(tracks.map(({ settings }) => settings.bitrate)).toEqual(kbps);
    expect(new Set(tracks.map(({ settings }) => settings.keyint_sec))).toEqual(new Set([2]));
    expect(tracks[1]?.framerate.denominator ?? 1).toBe('fps' in wanted ? 2 : 1);
  },
);

test('mutations of what OBS 30 and 32 send are answered within the ranges, or not understood', () => {
  const bodies = fc.constantFrom<object>(obs30Request({ key: 'k' }), obs32Request({ key: 'k', gpuVendorId: 0x10de }));
  const edit = fc.record({ at: fc.nat(60), value: fc.option(fc.jsonValue(), { nil: undefined }) });
  fc.assert(
    fc.property(bodies, fc.array(edit, { minLength: 1, maxLength: 4 }), (body, edits) => {
      const request = parseGoLive(JSON.stringify(mutated(body, edits)), 'obs-basic 32.2.2 (linux)');
      if (request === undefined) return;
      const setup = { configId: 'airlock-1', streamUrlBase: URL_BASE, wishes: { isMultitrack: true } };
      const { answer, plans } = answerTo(request, setup);
      expect(answer.encoder_configurations).toHaveLength(plans.length);
      for (const { settings, width, height } of answer.encoder_configurations) {
        expect(settings.bitrate).toBeGreaterThan(0);
        expect(width * height).toBeLessThanOrEqual(1920 * 1080);
      }
    }),
    { numRuns: 400 },
  );
});

/** Replaces or removes the n-th value, counted over all levels. */
function mutated(body: object, edits: readonly { at: number; value: unknown }[]): unknown {
  return edits.reduce<unknown>((value, edit) => {
    let count = 0;
    return (
      JSON.parse(JSON.stringify(value), (_name, each: unknown) => (count++ === edit.at ? edit.value : each)) ?? null
    );
  }, body);
}

test('a refusal shows the reason, escaped, and starts no stream', () => {
  const answer = refusalAnswer({ service: 'IVS', schemaVersion: '2025-01-25' }, refusalText('Ended: <b>"x" & y</b>.'));
  expect(answer.status).toEqual({
    result: 'error',
    html_en_us: '<p>Ended: &lt;b&gt;&quot;x&quot; &amp; y&lt;/b&gt;.</p>',
  });
  expect(answer.encoder_configurations).toEqual([]);
});

test('only an id of this server is read from a publish name', () => {
  const of = (id: string) => configIdOf(new Map([['clientConfigId', id]]));
  expect(of(configId('173205'))).toBe('airlock-173205');
  for (const id of ['', 'other-1', 'airlock-', 'airlock-a b', 'airlock-<b>', `airlock-${'1'.repeat(41)}`]) {
    expect(of(id)).toBeUndefined();
  }
});

test.each([
  ['no JSON', '{'],
  ['an array', '[]'],
  ['no key', JSON.stringify({ ...obs32Request({ key: 'k' }), authentication: undefined })],
  ['no canvas', JSON.stringify({ ...obs32Request({ key: 'k' }), preferences: {} })],
  ['a numerator of 0', JSON.stringify(obs32Request({ key: 'k', fps: [0, 1] }))],
  ['a canvas of 0 pixels', JSON.stringify(obs30Request({ key: 'k', canvas: [0, 0] }))],
])('%s is no question of OBS', (_name, text) => {
  expect(parseGoLive(text, '')).toBeUndefined();
});

test('capabilities of any type leave the software encoder', () => {
  const body = { ...obs32Request({ key: 'k' }), capabilities: 7, client: null };
  expect(encoderOf(answerFor(body)).type).toBe('obs_x264');
});
