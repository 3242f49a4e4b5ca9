/**
 * Damaged texts and bodies of HTTP clients, proxies and files: only the errors of the interface leave the readers, what
 * comes out is bounded, and the running interface answers each with its envelope. `npm run fuzz` looks longer.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { parseFields, type Selection } from '../../src/api/fields/parse.js';
import { jsonPath } from '../../src/api/fixed/json-path.js';
import { readBody } from '../../src/api/http/body.js';
import { parseLooseJson } from '../../src/api/params/loose-json.js';
import { noParams, readQuery } from '../../src/api/params/raw.js';
import { API_LIMITS } from '../../src/api/services.js';
import { readSubscribe, SubscribeFault } from '../../src/dashboard/subscribe.js';
import { readProxyHeader } from '../../src/ingest/proxy-header.js';
import { parseSubRip } from '../../src/media/subrip/subrip.js';
import { webVtt } from '../../src/media/subrip/web-vtt.js';
import { SNIFF_BYTES, sniff } from '../../src/probe/sniff.js';
import { ServiceError } from '../../src/spec/service-errors.js';
import { byteRange } from '../../src/vod/files/byte-range.js';
import { ApiWorld } from '../support/api-world.js';
import { fuzz, fuzzAsync } from '../support/fuzz.js';

const bytes = (...texts: string[]): Uint8Array[] => texts.map((text) => new Uint8Array(Buffer.from(text, 'latin1')));
const textOf = (input: Uint8Array): string => Buffer.from(input).toString('utf8');

/** Runs it; an error of the interface is an answer. */
function answering(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.shape.status >= 500) throw error;
  }
}

const FIELDS = [
  'id,title,status',
  'comments.limit(2).order(chronological).as(latest){from{name},message,comments{id}}',
  '["id","errors{data,paging}"]',
  'live_videos.limit(1){errors.severity(error).since(1){error_code},video{thumbnails{uri}}}',
];

test('fields: bounded in number and depth, or an error that says where', () => {
  const weigh = (selections: readonly Selection[], depth = 1): { count: number; depth: number } =>
    selections.reduce(
      (sum, { children }) => {
        const below = children === undefined ? { count: 0, depth } : weigh(children, depth + 1);
        return { count: sum.count + 1 + below.count, depth: Math.max(sum.depth, below.depth) };
      },
      { count: 0, depth },
    );
  const decode = (input: Uint8Array): void =>
    answering(() => {
      const { count, depth } = weigh(parseFields(textOf(input)) ?? []);
      if (count > API_LIMITS.fieldsCount || depth > API_LIMITS.fieldsDepth + 1)
        throw new Error(`${count}, ${depth} deep`);
    });
  expect(fuzz({ seeds: bytes(...FIELDS), decode })).toBeUndefined();
});

test('queries: brackets make no prototype and no depth beyond the bound', () => {
  const seeds = bytes(
    'a=1&b[c][d]=2&b[]=3&b[]=4',
    'privacy=%7B%22value%22%3A%22SELF%22%7D&x',
    'a[__proto__][x]=1&constructor[prototype]=2',
  );
  const decode = (input: Uint8Array): void => {
    answering(() => JSON.stringify(readQuery(textOf(input), noParams())));
    if ('x' in {}) throw new Error('the prototype of all objects was changed');
  };
  expect(fuzz({ seeds, decode })).toBeUndefined();
});

test('loose JSON: a value or none', () => {
  const seeds = bytes('[{page_id:123,allow:true}]', "['a','b',]", '{"a":{"b":[1,2.5e3,null,"\\u00e9"]}}', '{a:-1}');
  expect(
    fuzz({ seeds, decode: (input) => void JSON.stringify(parseLooseJson(textOf(input)) ?? null) }),
  ).toBeUndefined();
});

test('paths into results of a batch', () => {
  const value = { data: [{ id: '1', from: { name: 'x' } }, { id: '2' }], 'a b': 1 };
  const decode = (input: Uint8Array): void => {
    const found = jsonPath(textOf(input), value);
    if (found !== undefined && found.length > 20) throw new Error(`${found.length} found`);
  };
  expect(fuzz({ seeds: bytes('$.data.*.id', '$.data[0].from.name', "$['a b']", '$.data[*]'), decode })).toBeUndefined();
});

test('PROXY headers: an address, too few bytes, or an error', () => {
  const v2 = Buffer.from('0d0a0d0a000d0a515549540a2111000cc6336407cb007101c822078f', 'hex');
  const seeds = [
    ...bytes(
      'PROXY TCP4 198.51.100.7 203.0.113.1 51234 1936\r\nrest',
      'PROXY TCP6 2001:db8::1 ::1 1 2\r\n',
      'PROXY UNKNOWN\r\n',
    ),
    new Uint8Array(v2),
  ];
  const decode = (input: Uint8Array): void => {
    const header = readProxyHeader(input);
    if (header !== undefined && (header.consumed > input.length || header.consumed < 8)) throw new Error('consumed');
  };
  expect(fuzz({ seeds, decode })).toBeUndefined();
});

test('ranges lie within the file', () => {
  const decode = (input: Uint8Array): void => {
    const range = byteRange(textOf(input), 1000);
    if (range.kind === 'part' && !(range.start >= 0 && range.start <= range.end && range.end < 1000))
      throw new Error('outside');
  };
  expect(fuzz({ seeds: bytes('bytes=0-99', 'bytes=-500', 'bytes=999-', 'bytes=0-0,5-9'), decode })).toBeUndefined();
});

test('the first message of the live feed', () => {
  const seeds = bytes(
    '{"type":"subscribe","token":"abc","broadcasts":["1","2"],"after_revision":{"1":5},"recent":10}',
    '{"type":"subscribe","token":"x"}',
  );
  const decode = (input: Uint8Array): void => {
    try {
      readSubscribe(textOf(input));
    } catch (error) {
      if (!(error instanceof SubscribeFault)) throw error;
    }
  };
  expect(fuzz({ seeds, decode })).toBeUndefined();
});

test('captions become WebVTT without markup of their own making', () => {
  const seeds = bytes(
    '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i> & --> world\r\n\r\n2\n00:00:03.0 --> 00:00:04,0\nx\n',
    '\xff\xfe1\0\n\0',
  );
  const decode = (input: Uint8Array): void => {
    const vtt = webVtt(parseSubRip(input));
    if (!vtt.startsWith('WEBVTT') || vtt.length > 200 + input.length * 30) throw new Error(vtt.slice(0, 100));
  };
  expect(fuzz({ seeds, rounds: 5_000, decode })).toBeUndefined();
});

test('containers: a name for anything', () => {
  const seeds = [
    ...bytes(
      '\0\0\0\x18ftypisom\0\0\x02\0',
      '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm',
      'RIFF\0\0\0\0AVI LIST',
      'FLV\x01\x05\0\0\0\x09',
      'OggS\0',
      '#EXTM3U\n',
    ),
    new Uint8Array(Buffer.alloc(188 * 5, Buffer.concat([Buffer.of(0x47), Buffer.alloc(187)]))),
    new Uint8Array(Buffer.from('000001ba44000400040100000003f8000001bb', 'hex')),
  ];
  const decode = (input: Uint8Array): void => {
    if (sniff(input.subarray(0, SNIFF_BYTES)).container === '') throw new Error('no name');
  };
  expect(fuzz({ seeds, decode })).toBeUndefined();
});

const MULTIPART = [
  '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n--b\r\nContent-Disposition: form-data; name="captions_file"; filename="../x.srt"\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--\r\n',
  '--b\r\nContent-Disposition: form-data; name="a[b][]"; filename*=UTF-8\'\'%e2%82%ac\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--',
];

test('multipart bodies: read or refused, always settled', async () => {
  const decode = async (input: Uint8Array): Promise<void> => {
    const source = Readable.from([Buffer.from(input.subarray(0, 50)), Buffer.from(input.subarray(50))]);
    const request = Object.assign(source, { headers: { 'content-type': 'multipart/form-data; boundary=b' } });
    try {
      const { params, files } = await readBody(request as unknown as IncomingMessage);
      JSON.stringify(params);
      for (const file of files.values()) if (file.bytes.length > input.length) throw new Error('it grew');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  };
  expect(await fuzzAsync({ seeds: bytes(...MULTIPART), rounds: 2_000, decode })).toBeUndefined();
});

test('batches against the interface: each is answered with its envelope, none by a fault of ours', async () => {
  const world = await ApiWorld.open();
  const live = await world.live();
  const batches = [
    `[{"method":"GET","relative_url":"${live}?fields=id,errors"},{"method":"POST","relative_url":"${live}","body":"title=x","name":"a"}]`,
    `[{"method":"GET","relative_url":"${world.page}/live_videos?limit=1","name":"a"},{"method":"GET","relative_url":"?ids={result=a:$.data.*.id}"}]`,
    `[{"method":"DELETE","relative_url":"v24.0/1/errors","headers":[{"name":"X","value":"y"}],"omit_response_on_success":true}]`,
  ];
  const decode = async (input: Uint8Array): Promise<void> => {
    const { status, body, text } = await world.post('/', { batch: textOf(input) });
    const inner: unknown = status === 200 ? body : [];
    const codes = Array.isArray(inner) ? inner.map((each: { code?: number } | null) => each?.code ?? 0) : [999];
    if (status >= 500 || codes.some((code) => code >= 500)) throw new Error(`${status}: ${text.slice(0, 300)}`);
  };
  expect(await fuzzAsync({ seeds: bytes(...batches), rounds: 500, decode })).toBeUndefined();
  await world.close();
});

test('canary: a reader that lets a fault of its own out is caught', () => {
  const decode = (input: Uint8Array): void => answering(() => void JSON.parse(textOf(input)));
  expect(fuzz({ seeds: bytes('{"a":1}'), decode })?.error).toBeInstanceOf(SyntaxError);
});
