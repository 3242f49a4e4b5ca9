/** The recipe for an ingest protocol (CONTRIBUTING.md): a minimal one publishes over a socket, and its errors are read by id. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { UNKNOWN_KEY } from '../../src/broadcasts/publisher/refusals.js';
import { ApiHarness } from '../support/api-harness.js';
import { flvFile } from '../support/flv-writer.js';
import { synthStream } from '../support/synth-stream.js';
import { flvOverTcp } from './protocol/flv-over-tcp.js';

const harness = await ApiHarness.open();
const { engine: publishes, clock, log } = harness;
const sockets: Socket[] = [];
const server = createServer(flvOverTcp({ publishes, clock, log })).listen(0, '127.0.0.1');
await once(server, 'listening');
// Notices to encoders are sent with the clock of the broadcasts.
await publishes.run();

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await harness.close();
});

function publish(key: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.write(`${key}\n`);
  return socket;
}

test('publishes a stream, reports violations to the encoder and keeps the record', async () => {
  const live = await harness.live({ status: 'LIVE_NOW' });
  const { body } = await harness.get(`/${live}`, { fields: 'stream_url' });
  const socket = publish(body.stream_url.split('/').at(-1));
  socket.write(flvFile(synthStream({ durationMs: 2_000, channels: 1 })));
  let sent = '';
  for await (const text of socket.setEncoding('utf8')) {
    sent += text;
    if (/^\[6304 AUDIO_CHANNELS_NOT_STEREO\] .*\n/m.test(sent)) break;
  }
  const errors = (await harness.get(`/${live}/errors`)).body.data;
  const record = errors.find(({ error_code }: { error_code: number }) => error_code === 6304);
  expect(sent).toContain(record.description);
});

test('refuses an unknown stream key with the reason', async () => {
  const socket = publish('17-abcdefghijklmnopqrstuvwxyz234567');
  const [line] = await once(socket, 'data');
  expect(String(line)).toBe(`${UNKNOWN_KEY.description}\n`);
  await once(socket, 'close');
});

test('closes the connection when no FLV stream follows', async () => {
  const live = await harness.live({ status: 'LIVE_NOW' });
  const { body } = await harness.get(`/${live}`, { fields: 'stream_url' });
  const socket = publish(body.stream_url.split('/').at(-1));
  socket.write('not an FLV stream at all');
  // Read to the end: a socket with unread data does not close, and the notice that TCP is not secure may come first.
  const sent = await text(socket);
  expect(sent.replace(/^\[6101 PROTOCOL_NOT_RTMPS\] .*\n/, '')).toBe('');
  expect(log.lines.map(({ message }) => message)).toContain('connection closed: not an FLV stream');
});

test('sends a notice that is due before the first tag', async () => {
  const live = await harness.live({ status: 'LIVE_NOW' });
  const { body } = await harness.get(`/${live}`, { fields: 'stream_url' });
  const socket = publish(body.stream_url.split('/').at(-1));
  const [line] = await once(socket, 'data');
  expect(String(line)).toMatch(/^\[6101 PROTOCOL_NOT_RTMPS\] .*\n$/);
  // The key line and the stream may come apart, with a notice in between.
  socket.write('not an FLV stream at all');
  expect(await text(socket)).toBe('');
});
