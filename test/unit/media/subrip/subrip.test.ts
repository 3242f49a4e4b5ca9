import { type Cue, parseSubRip, webVtt } from '../../../../src/media/subrip/subrip.js';
import { endsSoon } from '../../../support/ends-soon.js';

const parse = (text: string, encoding: BufferEncoding = 'utf8'): Cue[] => parseSubRip(Buffer.from(text, encoding));

const TWO = '1\n00:00:01,000 --> 00:00:02,500\nOne\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\nlines\n';
const TWO_CUES: Cue[] = [
  { startMs: 1_000, endMs: 2_500, text: 'One' },
  { startMs: 3_000, endMs: 4_000, text: 'Two\nlines' },
];

test.each([
  ['LF', TWO],
  ['CR LF', TWO.replaceAll('\n', '\r\n')],
  ['CR', TWO.replaceAll('\n', '\r')],
  ['a byte order mark', `\uFEFF${TWO}`],
  ['points for commas', TWO.replaceAll(',', '.')],
  ['no numbers', TWO.replaceAll(/^[12]\n/gm, '')],
  ['empty lines at both ends', `\n\n${TWO}\n\n\n`],
  ['spaces and positions', TWO.replaceAll(/^(.*-->.*)$/gm, ' $1 X1:40 X2:600 Y1:20 Y2:50')],
  ['no hours', TWO.replaceAll('00:00:0', '00:0')],
  ['without a final line break', TWO.trimEnd()],
  ['no empty line between', TWO.replace('One\n\n2\n', 'One\n\n')],
])('%s', (_name, text) => {
  expect(parse(text)).toEqual(TWO_CUES);
});

test('reads UTF-16 of either byte order, and text that is not UTF-8', () => {
  expect(parse(`\uFEFF${TWO}`, 'utf16le')).toEqual(TWO_CUES);
  expect(parseSubRip(Buffer.from(`\uFEFF${TWO}`, 'utf16le').swap16())).toEqual(TWO_CUES);
  expect(parse('1\n00:00:01,000 --> 00:00:02,000\nCaf\xe9\n', 'latin1')[0]?.text).toBe('Café');
});

test('reads a fraction of any length, long hours and a number within the text', () => {
  expect(parse('1\n100:00:01,5 --> 100:00:02\n42\n')).toEqual([
    { startMs: 360_001_500, endMs: 360_002_000, text: '42' },
  ]);
  expect(
    parse('1\n00:00:01,000 --> 00:00:02,000\nthe year\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\nx')[0]?.text,
  ).toBe('the year\n1984');
});

test('keeps the text of a truncated cue', () => {
  expect(parse('1\n00:00:01,000 --> 00:00:02,000\nISO:1').length).toBe(1);
  expect(parse(`${TWO}\n3\n00:00:05,000 --> 00:00:06,000`).at(-1)).toEqual({ startMs: 5_000, endMs: 6_000, text: '' });
});

test.each([
  ['', 'SUBRIP_EMPTY'],
  ['\n \n', 'SUBRIP_EMPTY'],
  ['1\n2\n3\n', 'SUBRIP_EMPTY'],
  ['WEBVTT\n\n00:01.000 --> 00:02.000\nx\n', 'SUBRIP_START'],
  ['<html>', 'SUBRIP_START'],
  ['1\n00:00:01,000 --> soon\nx', 'SUBRIP_TIME'],
  [`${TWO}\n3\n00:00:05,000 -> 00:xx:06,000\nx`, 'SUBRIP_TIME'],
  ['1\n00:00:02,000 --> 00:00:01,000\nx', 'SUBRIP_ORDER'],
  ['1\n00:00:01,000 --> 00:00:02,000\nx\n\n'.repeat(20_001), 'SUBRIP_CUES'],
])('refuses %#', (text, code) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code }));
});

test('reads or refuses random bytes, without any other error', () => {
  for (let seed = 1; seed < 300; seed++) {
    const bytes = Uint8Array.from({ length: seed * 3 }, (_, i) => ((i * seed * 2_654_435_761) >>> (seed % 24)) & 0xff);
    try {
      parseSubRip(bytes);
    } catch (error) {
      expect((error as { code?: string }).code).toMatch(/^SUBRIP_/);
    }
  }
});

test('writes WebVTT with times, the three tags and no other markup', () => {
  const text = '<i>So</i> {\\an8}<font color="red">it</font> <script>x</script> & 1 < 2';
  expect(
    webVtt([
      { startMs: 3_723_004, endMs: 3_724_050, text },
      { startMs: 1, endMs: 2, text: '' },
    ]),
  ).toBe('WEBVTT\n\n01:02:03.004 --> 01:02:04.050\n<i>So</i> it &lt;script&gt;x&lt;/script&gt; &amp; 1 &lt; 2\n');
});

test('reads unterminated tags as text in linear time', () => {
  const text = '<font'.repeat(200_000);
  const vtt = endsSoon(() => webVtt([{ startMs: 0, endMs: 1, text }]));
  expect(vtt.split('&lt;font')).toHaveLength(200_001);
});
