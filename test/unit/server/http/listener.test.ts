import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpListener } from '../../../../src/server/http/listener.js';

let listener: HttpListener;
let port = 0;
beforeAll(async () => {
  listener = new HttpListener();
  port = await listener.listen(0, '127.0.0.1');
  listener.serve((_request, response) => void response.end('served'));
});
afterAll(() => listener.close());

function ask(target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

test('a URL that is too long is refused in the error envelope', async () => {
  const [head = '', body = ''] = (await ask(`/me?fields=${'a,'.repeat(9000)}`)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 414 /);
  expect(head).toContain('Content-Type: application/json');
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 100, type: 'OAuthException', is_transient: false } });
});

test('a long URL within the limit is served', async () => {
  expect(await ask(`/me?fields=${'a,'.repeat(6000)}`)).toContain('served');
});

test('a request that is not HTTP is refused without a body', async () => {
  expect(await ask('\u0001 broken')).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
});
