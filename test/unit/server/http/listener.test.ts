import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpListener } from '../../../../src/server/http/listener.js';
import { closeOf } from '../../../support/sockets.js';
import { memoryLog } from '../../../support/store-harness.js';

let listener: HttpListener;
let port = 0;
beforeAll(async () => {
  listener = new HttpListener();
  port = await listener.listen(0, '127.0.0.1');
  listener.serve((_request, response) => void response.end('served'));
});
afterAll(() => listener.close());

function ask(target: string, headers = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`);
  return text(socket);
}

test('a URL that is too long is refused in the error envelope', async () => {
  const [head = '', body = ''] = (await ask(`/me?fields=${'a,'.repeat(9000)}`)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 414 /);
  expect(head).toContain('Content-Type: application/json');
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 100, type: 'OAuthException', is_transient: false } });
});

test('headers that are too long are refused as such', async () => {
  const headers = Array.from({ length: 40 }, (_, n) => `X-${n}: ${'a'.repeat(500)}\r\n`).join('');
  const [head = '', body = ''] = (await ask('/me', headers)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 431 /);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 100, message: expect.stringContaining('headers') } });
});

test('a long URL within the limit is served', async () => {
  expect(await ask(`/me?fields=${'a,'.repeat(6000)}`)).toContain('served');
});

test.each([
  ['GET', ''],
  ['POST', 'a=1'],
])('a %s that offers HTTP/2 is served as HTTP/1.1, and so is the next one', async (method, body) => {
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  const socket = connect(port, '127.0.0.1');
  socket.write(`${method} / HTTP/1.1\r\nHost: a\r\n${offer}Content-Length: ${body.length}\r\n\r\n${body}`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
});

test('a request for a WebSocket is passed to its handler', async () => {
  const own = new HttpListener();
  const ownPort = await own.listen(0, '127.0.0.1');
  own.serve(
    (_request, response) => void response.end('served'),
    (_request, socket) => void socket.end('upgraded'),
  );
  const socket = connect(ownPort, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n');
  expect(await text(socket)).toBe('upgraded');
  await own.close();
});

test('a handler that throws ends its own connection alone', async () => {
  const log = memoryLog();
  const own = new HttpListener(undefined, { log });
  const ownPort = await own.listen(0, '127.0.0.1');
  const fail = (): never => {
    throw new Error('of the handler');
  };
  own.serve((request, response) => (request.url === '/' ? response.end('served') : fail()), fail);
  const answerTo = async (head: string): Promise<string> => {
    const socket = connect(ownPort, '127.0.0.1');
    socket.write(`GET ${head}\r\n\r\n`);
    return text(socket);
  };
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket';
  expect(await answerTo('/throws HTTP/1.1\r\nHost: a')).toBe('');
  expect(await answerTo(`/ HTTP/1.1\r\nHost: a\r\n${upgrade}`)).toBe('');
  expect(log.lines.map(({ message }) => message)).toEqual(Array(2).fill('an HTTP request failed'));
  expect(await answerTo('/ HTTP/1.1\r\nHost: a\r\nConnection: close')).toContain('served');
  await own.close();
});

test('a request that is not HTTP is refused without a body', async () => {
  const answer = await ask('\u0001 broken');
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n$/);
});

test('closes a connection with a stalled body, but not one whose handler pauses reading', async () => {
  const impatient = new HttpListener(undefined, { bodyMs: 400 });
  let paused: (() => void) | undefined;
  impatient.serve((request, response) => {
    if (request.url === '/slow-server') {
      paused = () => void request.resume().once('end', () => response.end('taken'));
      request.pause();
      return;
    }
    request.resume().once('end', () => response.end('taken'));
  });
  const impatientPort = await impatient.listen(0, '127.0.0.1');
  const post = (path: string, length: number) => {
    const socket = connect(impatientPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nbegin`);
    return socket;
  };
  const [slow, ours] = [post('/', 100_000), post('/slow-server', 5)];
  slow.resume();
  const drip = setInterval(() => slow.write('a'), 100);
  await closeOf(slow);
  clearInterval(drip);
  paused?.();
  const [answer] = (await once(ours, 'data')) as [Buffer];
  expect(answer.toString()).toContain('taken');
  ours.destroy();
  await impatient.close();
});

test('a client that resets its connection after asking for a WebSocket ends that connection alone', async () => {
  const own = new HttpListener();
  const ownPort = await own.listen(0, '127.0.0.1');
  const socket = connect(ownPort, '127.0.0.1');
  const error = new Promise<Error>((resolve) => {
    own.serve(
      (_request, response) => void response.end('served'),
      (_request, upgraded) => {
        upgraded.once('close', () => resolve(upgraded.errored as Error));
        socket.resetAndDestroy();
        const write = (): void => {
          if (upgraded.destroyed) return;
          upgraded.write('x');
          setImmediate(write);
        };
        write();
      },
    );
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  expect(await error).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) });
  const next = connect(ownPort, '127.0.0.1');
  next.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await text(next)).toContain('served');
  await own.close();
});
