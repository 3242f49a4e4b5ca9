/** Texts and bodies of HTTP clients, proxies and files: readers throw API errors only, and results are bounded. */

import { API_LIMITS } from '../../../src/api/context/limits.js';
import { parseGoLive } from '../../../src/api/obs/request.js';
import { parseFields, type Selection } from '../../../src/api/params/fields.js';
import { bool, id, int, json, list, object, oneOf, text, time } from '../../../src/api/params/kinds.js';
import { parseLooseJson } from '../../../src/api/params/loose-json.js';
import { noParams, readQuery } from '../../../src/api/params/raw.js';
import { jsonPath } from '../../../src/api/root/references.js';
import { WireError } from '../../../src/bytes/wire-error.js';
import { parsePublishName } from '../../../src/config/stream-key.js';
import { readSubscribe, SubscribeFault } from '../../../src/dashboard/feed/subscribe.js';
import { FEED_LIMITS } from '../../../src/dashboard/view/limits.js';
import { answerTo } from '../../../src/golive/answer.js';
import { readProxyHeader } from '../../../src/ingest/sockets/proxy-header.js';
import { Tickets } from '../../../src/playback/tickets.js';
import { amfObject } from '../../../src/rtmp/amf/amf-value.js';
import { DEFAULT_AMF_LIMITS } from '../../../src/rtmp/limits.js';
import { readConnect } from '../../../src/rtmp/messages/connect.js';
import { maskSecrets } from '../../../src/server/system/log.js';
import { ServiceError } from '../../../src/spec/service-errors.js';
import { byteRange } from '../../../src/vod/files/file-handler.js';
import { cutsChangeNothing, type FuzzTarget, type Parts } from '../../support/fuzz.js';
import { obs30Request, obs32Request } from '../../support/go-live-request.js';
import { PROTOTYPE_WORDS, textOf, tokens } from './texts.js';

/** Runs it; an API error is a valid answer unless it is a server error. */
export function answering(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.shape.status >= 500) throw error;
  }
}

function expectPlainPrototypes(): void {
  if ('x' in {} || 'x' in []) throw new Error('the prototype of all objects was changed');
}

function weigh(selections: readonly Selection[], depth = 1): { count: number; depth: number } {
  let sum = { count: 0, depth };
  for (const { children } of selections) {
    const below = children === undefined ? { count: 0, depth } : weigh(children, depth + 1);
    sum = { count: sum.count + 1 + below.count, depth: Math.max(sum.depth, below.depth) };
  }
  return sum;
}

const fields: FuzzTarget = {
  seeds: tokens(
    'id,title,status',
    'comments.limit(2).order(chronological).as(latest){from{name},message,comments{id}}',
    '["id","errors{data,paging}"]',
    'live_videos.limit(1){errors.severity(error).since(1){error_code},video{thumbnails{uri}}}',
  ),
  words: [...PROTOTYPE_WORDS, '{a', '}', 'a.as(__proto__)', '.limit(1)', ',', '(', '['],
  decode: (input) =>
    answering(() => {
      const { count, depth } = weigh(parseFields(textOf(input)) ?? []);
      if (count > API_LIMITS.fieldsCount || depth > API_LIMITS.fieldsDepth + 1)
        throw new Error(`${count}, ${depth} deep`);
    }),
};

const query: FuzzTarget = {
  seeds: tokens(
    'a=1&b[c][d]=2&b[]=3&b[]=4',
    'privacy=%7B%22value%22%3A%22SELF%22%7D&x',
    'a[__proto__][x]=1&constructor[prototype]=2',
  ),
  words: [...PROTOTYPE_WORDS, '[]', '[a]', '&a[]=1', '&', '%', '%00', '%ff', '['],
  decode: (input) => {
    answering(() => JSON.stringify(readQuery(textOf(input), noParams())));
    expectPlainPrototypes();
  },
};

const json5: FuzzTarget = {
  seeds: tokens('[{page_id:123,allow:true}]', "['a','b',]", '{"a":{"b":[1,2.5e3,null,"\\u00e9"]}}', '{a:-1}'),
  words: [...PROTOTYPE_WORDS, '[', '{', '{"a":', '\\u', '"', '9'],
  decode: (input) => {
    JSON.stringify(parseLooseJson(textOf(input)) ?? null);
    expectPlainPrototypes();
  },
};

const KINDS = {
  text: text(),
  id: id(),
  bool: bool(),
  int: int({ min: 0, max: 10 }),
  oneOf: oneOf(['A', 'B']),
  time: time(),
  list: list(int()),
  object: object({ a: list(object({ b: text().optional() })), x: json().optional() }),
  json: json(),
};

/** Every parameter type, from the text and from its JSON value. */
const kinds: FuzzTarget = {
  seeds: tokens(
    '12',
    'true',
    '2026-11-21T20:00:00+01:00',
    '{"a":[{"b":"x"},{"b":1}],"x":{"y":[1,[2,[3]]]}}',
    '{"0":"a","1":"b"}',
    '[1,2,3]',
  ),
  words: [...PROTOTYPE_WORDS, '[', '{"a":', '{"x":', ']', '1', ' ', '1e999', '-'],
  decode: (input) => {
    const raw = textOf(input);
    const values: unknown[] = [raw, parseLooseJson(raw)];
    try {
      values.push(JSON.parse(raw));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    for (const kind of Object.values(KINDS)) for (const value of values) kind.safeParse(value);
    expectPlainPrototypes();
  },
};

const FOUND = { data: [{ id: '1', from: { name: 'x' } }, { id: '2' }], 'a b': 1 };

const path: FuzzTarget = {
  seeds: tokens('$.data.*.id', '$.data[0].from.name', "$['a b']", '$.data[*]'),
  words: [...PROTOTYPE_WORDS, '.*', '[*]', '[0]'],
  decode: (input) => {
    const found = jsonPath(textOf(input), FOUND);
    if (found !== undefined && found.length > 20) throw new Error(`${found.length} found`);
  },
};

const v2Header = (rest: string): Parts => [
  Buffer.from('0d0a0d0a000d0a515549540a', 'hex'),
  Buffer.from(rest, 'hex'),
  Buffer.from('\x16\x03\x01'),
];

const proxyProtocol: FuzzTarget = {
  seeds: [
    ...tokens(
      'PROXY TCP4 198.51.100.7 203.0.113.1 51234 1936\r\nrest',
      'PROXY TCP6 2001:db8::1 ::1 1 2\r\n',
      'PROXY UNKNOWN\r\n',
    ),
    v2Header('2111000cc6336407cb007101c822078f'),
    v2Header(`21210024${'20010db8'.repeat(8)}c822078f`),
    v2Header('20000000'),
  ],
  // As from a socket: the first sufficient bytes decide, and later ones change nothing.
  decode: (input, random) =>
    cutsChangeNothing(input, random, (pieces) => {
      let have: Uint8Array = new Uint8Array(0);
      try {
        for (const piece of pieces) {
          have = Buffer.concat([have, piece]);
          const header = readProxyHeader(have);
          if (header === undefined) continue;
          if (header.consumed > have.length || header.consumed < 8) throw new Error('consumed');
          return JSON.stringify(header);
        }
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        return error.code;
      }
      return 'more';
    }),
};

const range: FuzzTarget = {
  seeds: tokens('bytes=0-99', 'bytes=-500', 'bytes=999-', 'bytes=0-0,5-9'),
  words: ['-', '9', '99999999999999999999', ',', ' '],
  decode: (input) => {
    const answer = byteRange(textOf(input), 1000);
    if (answer.kind === 'part' && !(answer.start >= 0 && answer.start <= answer.end && answer.end < 1000))
      throw new Error('outside');
  },
};

const subscribe: FuzzTarget = {
  seeds: tokens(
    '{"type":"subscribe","token":"abc","broadcasts":["1","2"],"after_revision":{"1":5},"recent":10}',
    '{"type":"subscribe","token":"x"}',
  ),
  words: [...PROTOTYPE_WORDS, '[', '{"a":', '"1",', '"after_revision":', '1e999'],
  decode: (input) => {
    try {
      const { broadcasts = [], afterRevision, recent } = readSubscribe(textOf(input));
      const { broadcastsNamed, broadcastsListed, recentRecords } = FEED_LIMITS;
      if (broadcasts.length > broadcastsNamed || afterRevision.size > broadcastsListed || recent > recentRecords)
        throw new Error('exceeds a bound');
    } catch (error) {
      if (!(error instanceof SubscribeFault)) throw error;
      // A close frame has room for 123 bytes (RFC 6455, 5.5).
      if (Buffer.byteLength(error.message) > 123) throw new Error(`too long a reason: ${error.message}`);
    }
  },
};

const key = `123456789012345678-${'a'.repeat(32)}`;

/** Publish name and app on two lines, up to the bound of a connect. */
const publishName: FuzzTarget = {
  largestBytes: DEFAULT_AMF_LIMITS.stringBytes,
  msPerKiB: 1,
  seeds: tokens(`${key}?preflight=1\nlive`, `"live/${key}"\nlive?x=1`, `\nlive/${key}?a=b&c`),
  words: ['?', '/', '"', ' ', '%', '&a=b', '\0', key],
  decode: (input) => {
    const [name = '', given = ''] = textOf(input).split('\n');
    const object = amfObject({ app: given });
    const { app } = readConnect({ name: 'connect', transactionId: 1, object, args: [] });
    if (app.startsWith('/') || app.endsWith('/')) throw new Error('a slash at an end');
    const found = parsePublishName(name, app);
    if (found !== undefined && (found.id.length > 19 || found.params.size > 32)) throw new Error('exceeds a bound');
  },
};

/** A log line: the stream key is masked in any context. */
const logLine: FuzzTarget = {
  seeds: tokens(
    `{"level":"info","app":"live","name":"${key}","tcUrl":"rtmps://user:pass@host:1/live?access_token=abc"}`,
    `{"authorization":"Bearer abc.def","streamKey":"a\\"b","msg":"GET /1?fields=id&access_token=abc HTTP/1.1"}`,
  ),
  words: ['a.', '://', ':', '@', '"', '\\', '"token":"', 'Bearer ', '?token=', ' ', '1', `/${key}/`],
  rounds: 1000,
  msPerKiB: 1,
  decode: (input) => {
    const masked = maskSecrets(textOf(input));
    if (/\d-[a-z2-7]{32}/i.test(masked)) throw new Error('a stream key is not masked');
  },
};

const tickets = new Tickets(new Uint8Array(32).fill(1));
const NOW_MS = 1_800_000_000_000;

const OURS = tickets.issue('1', NOW_MS + 60_000);
const decoded = (offered: string): string => {
  const at = offered.indexOf('.');
  return `${offered.slice(0, at)}.${Buffer.from(offered.slice(at), 'base64url').toString('base64url')}`;
};

/** No damaged ticket is accepted. Two bits of its last character are unused in base64url. */
const ticket: FuzzTarget = {
  seeds: tokens(tickets.issue('1', NOW_MS + 60_000), tickets.issue('2', NOW_MS + 60_000)),
  words: ['.', '=', '0', '-', '_'],
  decode: (input) => {
    const offered = textOf(input);
    const opens = tickets.opens(offered, '1', NOW_MS);
    if (opens && decoded(offered) !== decoded(OURS)) throw new Error(`opened by ${offered}`);
  },
};

/** Of any question that is understood, the answer stays within the largest profile, and its dialog within its bounds. */
const goLive: FuzzTarget = {
  seeds: tokens(
    JSON.stringify(obs30Request({ key: 'k', maxKbps: 6_000 })),
    JSON.stringify(obs32Request({ key: 'k', gpuVendorId: 4318, channels: 1, canvas: [1024, 768] })),
  ),
  words: [...PROTOTYPE_WORDS, '{"a":', '[', '0', '0.1', 'null', '<b>', '"'],
  rounds: 2_000,
  decode: (input) => {
    const request = parseGoLive(textOf(input), '');
    if (request === undefined) return;
    const { answer } = answerTo(request, { configId: 'airlock-1', streamUrlBase: 'rtmps://h:1/live/' });
    for (const { width, height, framerate, settings } of answer.encoder_configurations) {
      const numbers = [width, height, framerate.numerator, framerate.denominator, settings.bitrate];
      if (!numbers.every((value) => Number.isSafeInteger(value) && Number(value) > 0)) throw new Error(`${numbers}`);
      if (width > 1920 || height > 1080 || Number(settings.bitrate) > 9_000) throw new Error(`${numbers}`);
    }
    if ((answer.status?.html_en_us ?? '').length > 6_000) throw new Error('a dialog larger than a screen');
    expectPlainPrototypes();
  },
};

export const HTTP_TARGETS = {
  fields,
  'go-live': goLive,
  query,
  'loose-json': json5,
  kinds,
  'json-path': path,
  'proxy-protocol': proxyProtocol,
  range,
  subscribe,
  'publish-name': publishName,
  'log-line': logLine,
  ticket,
} satisfies Record<string, FuzzTarget>;
