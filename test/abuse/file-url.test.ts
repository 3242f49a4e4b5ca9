/** `file_url` at servers that keep or break HTTP, with the built server: the web process outlives them all. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { type HostileServer, MANNERS, startHostileServer } from '../support/hostile-server.js';
import { makeMedia } from '../support/media-files.js';
import { temporaryFolder } from '../support/store-harness.js';

const folder = temporaryFolder();
/** The second is not in the list: requests there would be seen. */
const LISTED = '127.0.0.2';
const UNLISTED = '127.0.0.3';

let hostile: HostileServer;
let outside: Server;
const seen: string[] = [];
let airlock: Airlock;

beforeAll(async () => {
  hostile = await startHostileServer(readFileSync(makeMedia(join(folder.path, 'video.mp4'), { seconds: 2 })), LISTED);
  outside = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => outside.listen(0, UNLISTED, resolve));
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn', AIRLOCK_FETCH_NETWORKS: `${LISTED}:${hostile.port}` });
});
afterAll(async () => {
  await airlock.stop();
  await hostile.close();
  outside.closeAllConnections();
  outside.close();
  folder.remove();
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
