/** `GET /{live-video-id}/obs_profile`: the zip, its files, and who gets it. */
import { strFromU8, unzipSync } from 'fflate';
import { LIVE } from '../../src/spec/live.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
let id: string;
let key: string;
beforeAll(async () => {
  harness = await ApiHarness.open();
  id = await harness.live();
  const url = (await harness.get(`/${id}`, { fields: 'stream_url' })).body.stream_url as string;
  key = url.slice(url.lastIndexOf('/') + 1);
});
afterAll(() => harness.close());

async function filesOf(query: Record<string, string>): Promise<Record<string, string>> {
  const url = new URL(`/${id}/obs_profile`, harness.url);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const response = await fetch(url, { headers: { authorization: `Bearer ${harness.token}` } });
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="Airlock-${id}.zip"`);
  expect(response.headers.get('cache-control')).toContain('no-store');
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, strFromU8(bytes)]));
}

test('is a folder that OBS imports, with address, key and conforming settings', async () => {
  const files = await filesOf({});
  const folder = `Airlock-${id}`;
  expect(Object.keys(files).sort()).toEqual([
    `${folder}/basic.ini`,
    `${folder}/service.json`,
    `${folder}/streamEncoder.json`,
    'README.txt',
    'services-entry.json',
  ]);
  expect(JSON.parse(files[`${folder}/service.json`] ?? '')).toEqual({
    type: 'rtmp_common',
    settings: {
      service: 'Airlock',
      server: 'rtmps://localhost:1936/live',
      key,
      bwtest: false,
      multitrack_video_configuration_url: 'http://localhost:8080/obs/go-live',
      multitrack_video_name: 'Airlock',
    },
  });
  const encoder = JSON.parse(files[`${folder}/streamEncoder.json`] ?? '');
  expect(encoder).toMatchObject({ rate_control: 'CBR', bitrate: 2_750, keyint_sec: 2 });
  const ini = files[`${folder}/basic.ini`] ?? '';
  for (const line of ['EnableMultitrackVideo=true', 'Mode=Advanced', 'SampleRate=48000', 'ChannelSetup=Stereo']) {
    expect(ini).toContain(`${line}\n`);
  }
  expect(ini).toContain('BaseCX=1280\nBaseCY=720\nOutputCX=1280\nOutputCY=720\nFPSType=0\nFPSCommon=30\n');
  expect(files['services-entry.json']).not.toContain(key);
});

test.each(LIVE.profiles.map((row) => [`${row.height}p${row.fps ?? ''}`, row] as const))(
  '%s has the size, rate and range of its row',
  async (profile, row) => {
    const files = await filesOf({ profile, video_bitrate: '100000' });
    expect(files[`Airlock-${id}/basic.ini`]).toContain(`OutputCX=${row.width}\nOutputCY=${row.height}\n`);
    expect(files[`Airlock-${id}/basic.ini`]).toContain(`FPSCommon=${row.fps ?? 30}\n`);
    expect(JSON.parse(files[`Airlock-${id}/streamEncoder.json`] ?? '').bitrate).toBe(row.videoBitrateKbps.max);
  },
);

test('the profile as JSON, and in a batch, has lines for other encoders', async () => {
  const { body } = await harness.get(`/${id}/obs_profile`, { type: 'json' });
  expect(body.lines.ffmpeg).toContain(`-f flv 'rtmps://localhost:1936/live/${key}'`);
  expect(body.lines.gstreamer).toContain(`rtmp2sink location='rtmps://localhost:1936/live/${key}'`);
  expect(body.lines.larix).toMatch(/^larix:\/\/set\/v1\?conn\[\]\[url\]=rtmps%3A%2F%2Flocalhost/);
  expect(body.lines.larix).toContain('enc[vid][keyframe]=2&');
  const batch = await harness.post('/', {
    batch: JSON.stringify([{ method: 'GET', relative_url: `${id}/obs_profile` }]),
  });
  expect(JSON.parse(batch.body[0].body)).toEqual(body);
});

test('an unknown profile is refused, and a stranger gets no profile', async () => {
  expect((await harness.get(`/${id}/obs_profile`, { profile: '4k' })).body.error.code).toBe(100);
  const reply = await harness.get(`/${id}/obs_profile`, {}, { token: harness.strangerToken });
  expect(reply.status).toBe(400);
  expect(reply.text).not.toContain(key);
});
