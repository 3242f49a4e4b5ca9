/** Files and URLs crafted for access beyond the upload: no local file and no private address is read, and cost is bounded. */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { targetNetworks } from '../../src/config/settings/networks.js';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { type HostileServer, MANNERS, startHostileServer } from '../support/hostile-server.js';
import { makeMedia } from '../support/media-files.js';
import { temporaryFolder } from '../support/store-harness.js';
import { UploadHarness } from '../support/upload-harness.js';

/** The second is not in the list: requests there would be seen. */
const LISTED = '127.0.0.2';
const UNLISTED = '127.0.0.3';

const folder = temporaryFolder();
let airlock: Airlock;
/** Serves files as HTTP asks, or breaks it. */
let hostile: HostileServer;
/** A server on a private address; it must never receive a request. */
let inside: Server;
let port = 0;
const asked: string[] = [];

beforeAll(async () => {
  inside = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(Buffer.alloc(4_096));
  });
  await new Promise<void>((resolve) => inside.listen(0, resolve));
  port = (inside.address() as AddressInfo).port;
  hostile = await startHostileServer(readFileSync(makeMedia(join(folder.path, 'video.mp4'), { seconds: 2 })), LISTED);
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn', AIRLOCK_FETCH_NETWORKS: `${LISTED}:${hostile.port}` });
});
afterAll(async () => {
  await airlock.stop();
  await hostile.close();
  inside.closeAllConnections();
  await new Promise((resolve) => inside.close(resolve));
  folder.remove();
});

test('refuses a file_url with a private address in any notation', async () => {
  const hosts = [
    ...[
      '127.0.0.1',
      'localhost',
      '127.1',
      '0',
      '0.0.0.0',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '017700000001',
    ],
    ...[
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fd00::1]',
    ],
    ...['localhost.', '127.0.0.1.', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1'],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
  ];
  const urls = [
    ...hosts.map((host) => `http://${host}:${port}/inside`),
    ...[
      `http://user:password@127.0.0.1:${port}/inside`,
      `http://example.org@127.0.0.1:${port}/inside`,
      `http://127.0.0.1:${port}#@example.org/inside`,
    ],
    ...[
      'file:///etc/passwd',
      `ftp://127.0.0.1:${port}/inside`,
      'gopher://127.0.0.1:6379/_INFO',
      'data:video/mp4;base64,AAAA',
      'concat:/etc/passwd',
      '//127.0.0.1/inside',
      '/etc/passwd',
      'http://',
      'x'.repeat(5_000),
    ],
  ];
  const bystander = await Bystander.start(airlock);
  for (const url of urls) {
    const { status, body } = await airlock.request('POST', `/${airlock.quickstart.page_id}/videos`, { file_url: url });
    expect([url.slice(0, 60), status]).toEqual([url.slice(0, 60), 400]);
    expect(JSON.stringify(body)).not.toMatch(/ECONN|EHOST|ENET|root:/);
  }
  expect(asked).toEqual([]);
  await expectUntouched(bystander);
});

test('refuses a file_url that resolves or redirects to a private address', async () => {
  let target = '';
  const outside = createServer((_request, response) => response.writeHead(302, { location: target }).end());
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const publicPort = (outside.address() as AddressInfo).port;
  const names: Record<string, { address: string; family: number }[]> = {
    // Stands for a public address: `networks` permits it.
    'public.example': [{ address: '127.0.0.2', family: 4 }],
    'inside.example': [{ address: '127.0.0.1', family: 4 }],
    'both.example': [
      { address: '127.0.0.2', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  };
  outside.close();
  outside.closeAllConnections();
  const door = createServer((_request, response) => response.writeHead(302, { location: target }).end());
  await new Promise<void>((resolve) => door.listen(publicPort, '127.0.0.2', resolve));
  const fetch = {
    resolve: async (name: string) => names[name] ?? [],
    networks: targetNetworks(['127.0.0.2:1-65535']),
  };
  const harness = await UploadHarness.open({ fetch });
  const refused = async (url: string) => {
    const { status, body } = await harness.post(`/${harness.page}/videos`, { file_url: url });
    expect([url, status, JSON.stringify(body)]).toEqual([url, 400, expect.stringContaining('cannot be reached')]);
  };
  await refused(`http://inside.example:${port}/inside`);
  await refused(`http://both.example:${publicPort}/`);
  for (const to of [
    `http://127.0.0.1:${port}/inside`,
    `http://inside.example:${port}/inside`,
    `http://[::1]:${port}/inside`,
    `//127.0.0.1:${port}/inside`,
  ]) {
    target = to;
    await refused(`http://public.example:${publicPort}/`);
  }
  target = `http://public.example:${publicPort}/`;
  const circle = await harness.post(`/${harness.page}/videos`, { file_url: target });
  expect(JSON.stringify(circle.body)).toContain('too many redirects');
  expect(asked).toEqual([]);
  await harness.close();
  door.closeAllConnections();
  await new Promise((resolve) => door.close(resolve));
});

describe('files', () => {
  const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer).swap32();
  const box = (type: string, ...parts: Uint8Array[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
  };
  const ftyp = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isommp41'));
  const full = (...values: number[]) => Buffer.concat([u32(0), ...values.map(u32)]);
  /** One video track with the declared number of samples and picture size. */
  const movie = (samples: number, width: number, height: number, dref: Buffer) => {
    const avcC = box('avcC', Buffer.from('0164001fffe1000467640028010004 68ee3c80'.replaceAll(' ', ''), 'hex'));
    const size = Buffer.concat([u32((width << 16) >>> 0), u32((height << 16) >>> 0)]);
    const sample = Buffer.concat([
      Buffer.alloc(6),
      Buffer.of(0, 1),
      Buffer.alloc(16),
      Buffer.of(width >> 8, width & 255, height >> 8, height & 255),
      Buffer.alloc(50),
    ]);
    const stbl = box(
      'stbl',
      box('stsd', full(1), box('avc1', sample, avcC)),
      box('stts', full(1, samples, 1)),
      box('stsc', full(1, 1, samples, 1)),
      box('stsz', full(1, samples)),
      box('stco', full(1, 0)),
    );
    const minf = box('minf', box('vmhd', full(0, 0)), box('dinf', box('dref', full(1), dref)), stbl);
    const mdia = box(
      'mdia',
      box('mdhd', full(0, 0, 1_000, 0xffffffff, 0x55c40000)),
      box('hdlr', full(0), Buffer.from('vide'), Buffer.alloc(13)),
      minf,
    );
    const tkhd = box('tkhd', Buffer.concat([u32(7), Buffer.alloc(8), u32(1), Buffer.alloc(60), size]));
    return Buffer.concat([
      ftyp,
      box('moov', box('mvhd', full(0, 0, 1_000, 0xffffffff), Buffer.alloc(80)), box('trak', tkhd, mdia)),
      box('mdat', Buffer.alloc(2_000)),
    ]);
  };
  const self = box('url ', u32(1));
  const nested = (depth: number) => {
    let inner: Buffer = Buffer.alloc(0);
    for (let at = 0; at < depth; at++) inner = box('moov', inner);
    return Buffer.concat([ftyp, inner]);
  };
  const padded = (text: string) => Buffer.from(text.padEnd(2_048, '\n'));
  const files = (): [string, Buffer][] => [
    [
      'a playlist with a private address',
      padded(`#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:${port}/playlist.ts\n`),
    ],
    ['a playlist of local files', padded('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')],
    ['a concat script', padded(`ffconcat version 1.0\nfile http://127.0.0.1:${port}/concat\nfile /etc/passwd\n`)],
    [
      'a DASH manifest',
      padded(
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:${port}/dtd">]><MPD><BaseURL>http://127.0.0.1:${port}/</BaseURL>&e;</MPD>`,
      ),
    ],
    ['a session description', padded(`v=0\nc=IN IP4 127.0.0.1\nm=video ${port} RTP/AVP 96\n`)],
    [
      'an SVG picture',
      padded(`<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1:${port}/svg"/></svg>`),
    ],
    [
      'a movie whose samples are at a URL',
      movie(1, 640, 360, box('url ', u32(0), Buffer.from(`http://127.0.0.1:${port}/dref\0`))),
    ],
    [
      'a movie whose samples are in a local file',
      movie(1, 640, 360, box('url ', u32(0), Buffer.from('file:///etc/passwd\0'))),
    ],
    ['a movie of 65,535 by 65,535', movie(10, 65_535, 65_535, self)],
    ['a movie of four billion samples', movie(0xffffffff, 640, 360, self)],
    ['boxes nested ten thousand deep', nested(10_000)],
    [
      'a box of an impossible length',
      Buffer.concat([ftyp, u32(1), Buffer.from('moov'), Buffer.alloc(8, 0x7f), Buffer.alloc(2_000)]),
    ],
    [
      'nested Matroska elements of unknown length',
      Buffer.concat([
        Buffer.from('1a45dfa39f4282886d6174726f736b61', 'hex'),
        Buffer.alloc(4_000, Buffer.from('18538067 01ffffffffffffff'.replace(' ', ''), 'hex')),
      ]),
    ],
    ['a gzip of ten million zeros', gzipSync(Buffer.alloc(10_000_000))],
    [
      'an Ogg page repeated',
      Buffer.alloc(200_000, Buffer.from('4f67675300020000000000000000000000000000000000000000ff', 'hex')),
    ],
    ['only zeros', Buffer.alloc(100_000)],
  ];

  test('with external references, false sizes or deep nesting become failed videos and cause no private request', async () => {
    const bystander = await Bystander.start(airlock);
    const { page_id: page, access_token: token, http_url: url } = airlock.quickstart;
    const ids = new Map<string, string>();
    for (const [name, bytes] of files()) {
      const form = new FormData();
      form.set('access_token', token);
      form.set('source', new Blob([bytes]), 'movie.mp4');
      const answer = await fetch(new URL(`/${page}/videos`, url), { method: 'POST', body: form });
      const body = (await answer.json()) as { id: string };
      if (answer.status === 200) ids.set(name, body.id);
      else expect([name, answer.status]).toEqual([name, 400]);
    }
    for (const [name, id] of ids) {
      const { status } = await airlock.until(
        () => airlock.get(`/${id}`, { fields: 'status' }),
        (body) => ['ready', 'error'].includes(body.status?.video_status),
      );
      expect([name, status.video_status]).toEqual([name, 'error']);
      const errors = await airlock.errors(id);
      expect([name, errors.length]).toEqual([name, expect.any(Number)]);
      expect(JSON.stringify(errors)).not.toContain(airlock.folder);
    }
    expect(ids.size).toBeGreaterThan(10);
    expect(asked).toEqual([]);
    await expectUntouched(bystander);
  });
});

/** `file_url` at servers that keep or break HTTP, with the built server: the web process outlives them all. */
describe('a hostile server', () => {
  let outside: Server;
  const seen: string[] = [];

  beforeAll(async () => {
    outside = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => outside.listen(0, UNLISTED, resolve));
  });
  afterAll(async () => {
    outside.closeAllConnections();
    outside.close();
  });

  const create = (file_url: string) => airlock.request('POST', `/${airlock.quickstart.page_id}/videos`, { file_url });

  /** Without an end for minutes: the time-outs of these are tried on the client itself, in `outward.test.ts`. */
  const ENDLESS = [
    'a body without end',
    'chunks of a body without end',
    'a silence after the headers',
    'a body that trickles',
  ];

  test('a fault of the server ends its call with an error, and a whole file becomes a video', async () => {
    const web = airlock.pidOf('web');
    const ask = async ([manner, { gives }]: (typeof manners)[number]): Promise<void> => {
      const { status, body } = await create(hostile.url(manner));
      const outcome =
        status === 200 ? 'body' : body.error.code === 389 && status === 400 ? 'fault' : JSON.stringify(body);
      if (gives === 'either') expect(['body', 'fault']).toContain(outcome);
      else expect([manner, outcome]).toEqual([manner, gives]);
    };
    const manners = Object.entries(MANNERS).filter(([name]) => !ENDLESS.includes(name));
    const slow = manners.filter(([name]) => /silence|trickle/.test(name));
    // Two calls at a time of one client and one server; each slow one takes the time that a server has for its headers.
    await Promise.all([
      Promise.all(slow.map(ask)),
      manners
        .filter((each) => !slow.includes(each))
        .reduce((before, each) => before.then(() => ask(each)), Promise.resolve()),
    ]);
    for (let again = 0; again < 28; again++)
      await ask(['HTTP/1.0 with Connection: close', { gives: 'body', answer: () => undefined }]);
    expect(airlock.pidOf('web')).toBe(web);
  });

  test('every address outside the list is refused with the same text, whatever listens there', async () => {
    const { port } = outside.address() as AddressInfo;
    const refused = await Promise.all(
      [
        `http://${UNLISTED}:${port}/listens`,
        `http://${UNLISTED}:1/closed`,
        `http://${UNLISTED}/usual-port`,
        `http://${LISTED}:${port}/another-port`,
        'http://10.1.2.3/none',
        `http://localhost:${port}/name`,
        'http://no-such-name.invalid/',
        `http://[::ffff:${UNLISTED}]:${port}/mapped`,
      ].map(create),
    );
    const [first] = refused;
    expect(first).toMatchObject({ status: 400, body: { error: { code: 389 } } });
    const told = ({ status, body }: Awaited<ReturnType<typeof create>>) => ({ status, ...body.error, fbtrace_id: '' });
    for (const each of refused) expect(told(each)).toEqual(told(first as (typeof refused)[number]));
    expect(seen).toEqual([]);
  });
});
