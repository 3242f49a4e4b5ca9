import { text } from 'node:stream/consumers';
import { ApiHarness, errorOf } from '../support/api-harness.js';

let harness: ApiHarness;
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  video = await harness.video();
});
afterAll(() => harness.close());

function upload(field: string, name: string, bytes: Buffer | string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set(field, new Blob([bytes]), name);
  return form;
}

const SRT =
  '\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\nagain\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBye\r\n';

describe('captions', () => {
  test('the first captions become the default, and captions are replaced, selected and deleted', async () => {
    const id = await harness.video();
    const add = (name: string, fields: Record<string, string> = {}, content = SRT) =>
      harness.ask('POST', `/${id}/captions`, { body: upload('captions_file', name, content, fields) });
    const locales = async () =>
      (await harness.get(`/${id}/captions`)).body.data.map((each: Record<string, unknown>) => [
        each.locale,
        each.is_default,
      ]);
    expect((await add('show.en_US.srt')).body).toEqual({ success: true });
    expect((await harness.get(`/${id}/captions`)).body.data).toEqual([
      {
        create_time: expect.any(Number),
        locale: 'en_US',
        locale_name: 'English (US)',
        uri: expect.stringContaining(`/files/videos/${id}/captions/en_us.srt`),
        is_default: true,
        is_auto_generated: false,
      },
    ]);
    await add('show.de_DE.srt');
    expect(await locales()).toEqual([
      ['en_US', true],
      ['de_DE', false],
    ]);
    expect((await add('other.de_DE.srt', { locales_to_delete: '["de_DE"]' })).status).toBe(200);
    // A second file of a locale replaces the first.
    const second = SRT.replace('Hello', 'Guten Tag');
    expect((await add('show.de_DE.srt', {}, second)).body).toEqual({ success: true });
    const stored = await harness.blobs.read(`videos/${id}/captions/de_de.srt`);
    expect(await text(stored)).toContain('Guten Tag');
    await harness.post(`/${id}/captions`, { default_locale: 'de_DE' });
    expect(await locales()).toEqual([
      ['en_US', false],
      ['de_DE', true],
    ]);
    await harness.post(`/${id}/captions`, { default_locale: 'none' });
    expect(await locales()).toEqual([
      ['en_US', false],
      ['de_DE', false],
    ]);
    await harness.ask('DELETE', `/${id}/captions`, { query: { locale: 'de_DE' } });
    expect(await locales()).toEqual([['en_US', false]]);
    await harness.delete(`/${id}/captions`);
    expect(await locales()).toEqual([]);
  });

  test('a locale that is none, and one without captions, cannot be deleted', async () => {
    const id = await harness.video();
    await harness.ask('POST', `/${id}/captions`, { body: upload('captions_file', 'a.en_US.srt', SRT) });
    const remove = (query: Record<string, string>) => harness.ask('DELETE', `/${id}/captions`, { query });
    for (const [reply, message] of [
      [await remove({ locale: 'de_DE' }), 'The video has no captions for the locale de_DE'],
      [await remove({ locales_to_delete: 'en_US,fr_FR' }), 'The video has no captions for the locale fr_FR'],
      [await remove({ locale: 'zz_QX' }), 'Param locale must be a locale (language and country, as en_US)'],
      [
        await harness.post(`/${id}/captions`, { locales_to_delete: 'de_DE' }),
        'The video has no captions for the locale de_DE',
      ],
      [
        await harness.post(`/${id}/captions`, { default_locale: 'nonsense' }),
        'Param default_locale must be a locale (language and country, as en_US), or none',
      ],
    ] as const) {
      expect(errorOf(reply)).toMatchObject({ code: 100, message: `(#100) ${message}` });
    }
    expect((await harness.get(`/${id}/captions`)).body.data).toHaveLength(1);
  });

  test.each([
    ['a file name without a locale', 'captions.srt', SRT, 386],
    ['a file name with an unknown language', 'captions.zz_US.srt', SRT, 386],
    ['a file name with an unknown country', 'captions.en_QX.srt', SRT, 386],
    ['a file that is not SubRip', 'a.en_US.srt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n', 385],
    [
      'a file that is too large',
      'a.en_US.srt',
      `${SRT}\r\n\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\n${'x'.repeat(210_000)}`,
      387,
    ],
  ])('%s is refused', async (_what, name, content, code) => {
    const reply = await harness.ask('POST', `/${video}/captions`, { body: upload('captions_file', name, content) });
    expect([reply.status, errorOf(reply).code]).toEqual([400, code]);
  });

  test('a request without parameters and an unknown default are refused', async () => {
    expect(errorOf(await harness.post(`/${video}/captions`))).toMatchObject({ code: 100 });
    expect(errorOf(await harness.post(`/${video}/captions`, { default_locale: 'fr_FR' }))).toMatchObject({ code: 100 });
  });
});
