/** The running HTTP API: each hostile request gets an answer of bounded size in its envelope, never a server error. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { postEvent } from '../../../src/webhook/webhook.js';
import { ApiHarness } from '../../support/api-harness.js';
import type { FuzzTarget } from '../../support/fuzz.js';
import { UploadHarness } from '../../support/upload-harness.js';
import { lines, PROTOTYPE_WORDS, textOf, tokens } from './texts.js';

/** Bound on any answer in these targets; the API holds a handful of objects. */
const LARGEST_ANSWER = 4 * 1024 * 1024;

function checkAnswer(status: number, text: string): void {
  if (status >= 500) throw new Error(`${status}: ${text.slice(0, 300)}`);
  if (text.length > LARGEST_ANSWER) throw new Error(`an answer of ${text.length} characters`);
  if ('x' in {}) throw new Error('the prototype of all objects was changed');
}

/** Server errors in the log, cleared by reading. */
function faultsLogged(harness: ApiHarness): string[] {
  const found = harness.log.lines.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line));
  harness.log.lines.length = 0;
  return found;
}

export async function batchTarget(): Promise<FuzzTarget> {
  const harness = await ApiHarness.open();
  const live = await harness.live({ description: 'd'.repeat(2000) });
  return {
    seeds: tokens(
      `[{"method":"GET","relative_url":"${live}?fields=id,errors"},{"method":"POST","relative_url":"${live}","body":"title=x","name":"a"}]`,
      `[{"method":"GET","relative_url":"${harness.page}/live_videos?limit=1","name":"a"},{"method":"GET","relative_url":"?ids={result=a:$.data.*.id}"}]`,
      `[{"method":"DELETE","relative_url":"v24.0/1/errors","headers":[{"name":"X","value":"y"}],"omit_response_on_success":true}]`,
      `[{"relative_url":"${live}","name":"a"},{"method":"POST","relative_url":"${live}","body":"title={result=a:$}&description={result=a:$.id}"}]`,
    ),
    words: [
      ...PROTOTYPE_WORDS,
      '{result=a:$}',
      '{result=a:$.*}',
      '[',
      '{"a":',
      ',',
      `"${live}"`,
      '%',
      '?',
      '&',
      '"name":"a"',
    ],
    largestBytes: 256 * 1024,
    rounds: 300,
    msPerKiB: 40,
    decode: async (input) => {
      const { status, body, text } = await harness.post('/', { batch: textOf(input) });
      checkAnswer(status, text);
      const inner: unknown = status === 200 ? body : [];
      const codes = Array.isArray(inner) ? inner.map((each: { code?: number } | null) => each?.code ?? 0) : [999];
      if (codes.some((code) => code >= 500)) throw new Error(text.slice(0, 300));
      for (const fault of faultsLogged(harness)) throw new Error(fault.slice(0, 600));
    },
    close: () => harness.close(),
  };
}

const REQUEST = /^(GET|POST|DELETE) (\S*)(?: (.*))?$/s;

/** Requests as `METHOD path?query body`, with a token that has all permissions on its own objects. */
export async function graphTarget(): Promise<FuzzTarget> {
  const harness = await ApiHarness.open();
  const live = await harness.live();
  return {
    seeds: tokens(
      `GET /${live}?fields=id,title,status,errors.limit(2){error_code},video{id,thumbnails}`,
      `GET /${harness.page}/live_videos?limit=2&after=abc&before=x&since=yesterday&fields=from,comments{from,message}`,
      `GET /?ids=${live},${harness.page}&fields=id`,
      `POST /${harness.page}/live_videos title=x&status=UNPUBLISHED&privacy={"value":"SELF"}&targeting[geo][a]=1`,
      `POST /${live} {"title":"x","content_tags":["1"],"event_params":{"start_time":1}}`,
      `POST /${live}/comments message=hello&attachment_id=1`,
      `POST /${live}/polls question=Q&options=["a","b"]&correct_option=1`,
      `DELETE /${live}/errors`,
      `GET /v24.0/debug_token?input_token=x`,
      `GET /${harness.user}/accounts?fields=access_token,name&summary=total_count`,
    ),
    words: [
      ...PROTOTYPE_WORDS,
      '[',
      '{"a":',
      '%00',
      '%ff',
      '../',
      '&fields=',
      '{from{',
      'limit(100)',
      '[a]',
      live,
      '1,',
    ],
    largestBytes: 12 * 1024,
    rounds: 300,
    msPerKiB: 100,
    decode: async (input) => {
      const [, method = 'GET', path = '', body = ''] = REQUEST.exec(textOf(input)) ?? [];
      // Skips URLs that no client can send.
      const target = encodeURI(Buffer.from(path.startsWith('/') ? path : `/${path}`).toString('utf8')).replaceAll(
        '#',
        '%23',
      );
      const json = body.startsWith('{') ? { 'content-type': 'application/json' } : undefined;
      const { status, text } = await harness.ask(method, target.replace(/^\/+/, '/'), {
        ...(json === undefined ? {} : { headers: json }),
        ...(method === 'GET' || body === '' ? {} : { body }),
      });
      checkAnswer(status, text);
      for (const fault of faultsLogged(harness)) throw new Error(fault.slice(0, 600));
    },
    close: () => harness.close(),
  };
}

/** A client that uploads in any order: one step per line, `start <size>`, `chunk <offset> <size>`, `finish` or `cancel`. */
export async function uploadTarget(): Promise<FuzzTarget> {
  const harness = await UploadHarness.open({}, {});
  return {
    seeds: lines(
      'start 5000\nchunk 0 2000\nchunk 2000 3000\ncancel\n',
      'start 3000\nchunk 0 3000\nchunk 0 3000\nchunk 1000 500\ncancel\n',
      'start 2000\nchunk 0 2001\nchunk 1 1\nfinish\ncancel\nchunk 0 5\n',
    ),
    words: ['-1', '1e3', '99999999999999999999', '0x10', ' ', '1.5', '__proto__', '\n', 'start 2000\n', 'chunk 0 1\n'],
    largestBytes: 2048,
    rounds: 40,
    msPerKiB: 4000,
    decode: (input) => playUpload(harness, textOf(input)),
    close: () => harness.close(),
  };
}

const PHASES = new Map([
  ['start', 'start'],
  ['chunk', 'transfer'],
  ['finish', 'finish'],
  ['cancel', 'cancel'],
]);

async function playUpload(harness: UploadHarness, steps: string): Promise<void> {
  let session = '0';
  let fileSize = 0;
  let received = 0;
  for (const step of steps.split('\n').slice(0, 40)) {
    const [verb = '', first = '', second = ''] = step.split(' ');
    const common = { upload_phase: PHASES.get(verb) ?? verb };
    const chunk = new Blob([new Uint8Array(Math.min(8192, Math.abs(Number.parseInt(second, 10)) || 0))]);
    const fields: Record<string, string | Blob> =
      verb === 'start'
        ? { file_size: first }
        : { upload_session_id: session, ...(verb === 'chunk' ? { start_offset: first, video_file_chunk: chunk } : {}) };
    const { status, body } = await harness.post(`/${harness.page}/videos`, { ...common, ...fields });
    checkAnswer(status, JSON.stringify(body));
    if (status !== 200) continue;
    if (verb === 'start') {
      session = String(body.upload_session_id);
      fileSize = Number(first);
      received = 0;
    }
    if (verb !== 'start' && verb !== 'chunk') continue;
    const [from, to] = [Number(body.start_offset), Number(body.end_offset)];
    if (!(from >= received && from <= to && to <= fileSize))
      throw new Error(`${from} to ${to} of ${fileSize} after ${received}`);
    received = from;
  }
  // An owner has few sessions.
  await harness.post(`/${harness.page}/videos`, { upload_phase: 'cancel', upload_session_id: session });
}

/** A webhook receiver with arbitrary answers: each delivery is accepted or refused in bounded time. */
export async function webhookTarget(): Promise<FuzzTarget> {
  let answer: Uint8Array = new Uint8Array(0);
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    seeds: lines(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n5\r\nabcde\r\n0\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    ),
    words: ['\r\n', 'HTTP/1.1 101 Switching Protocols\r\n', 'Content-Length: 99999999999\r\n', '\0', ': ', 'x: y\r\n'],
    largestBytes: 64 * 1024,
    rounds: 100,
    msPerKiB: 100,
    decode: async (input) => {
      answer = input;
      const event = { deliveryId: '1' } as Parameters<typeof postEvent>[1];
      const target = { url, secret: 's', answerWithinMs: 2000, sentMs: 0 };
      const problem = await postEvent(target, event, '{}', new AbortController().signal);
      // Line breaks before the status line are ignored (RFC 9112, 2.2).
      if (problem === undefined && !/^[\r\n]*HTTP\/1\.[01] /.test(textOf(input)))
        throw new Error('accepted without an answer');
      if (problem !== undefined && problem.length > 1000) throw new Error(`a problem of ${problem.length} characters`);
    },
    close: async () => {
      server.close();
    },
  };
}
