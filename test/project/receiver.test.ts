/** examples/webhook/receiver.mjs, with deliveries as the server sends them. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { RecordBody } from '../../src/spec/error-record.js';
import { recordEvent, stateEvent, webhookBody } from '../../src/webhook/outbox.js';
import { recordBody } from '../support/store-harness.js';
import { ROOT } from './source-files.js';

const SECRET = 'a secret of the webhook';
const OPEN = bodyOf({ severity: 'error', description: 'No key frame for 4.07 s' });

function bodyOf(over: Partial<RecordBody>): string {
  const record = { ...recordBody('42', 1, 1, over), sequence: 1, revision: 1 };
  return webhookBody(recordEvent('42', record, { broadcastId: '42', videoId: '43' }), { id: '7', kind: 'page' });
}

async function receiver(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(ROOT, 'examples/webhook/receiver.mjs')], {
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${/\d+/.exec(String(printed))?.[0]}`;
  const send = async (body: string, delivery: string, secret = SECRET, header = 'x-hub-signature-256') => {
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { [header]: signature, 'x-airlock-delivery': delivery };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  return { send, stop: () => child.kill() };
}

test('passes an open error on to the chat, once, and nothing else', async () => {
  const texts: string[] = [];
  let status = 200;
  const chat = createServer(async (request, response) => {
    const body = await textOf(request);
    if (status === 200) texts.push(JSON.parse(body).text);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
  const { send, stop } = await receiver({ CHAT_URL: `http://127.0.0.1:${(chat.address() as AddressInfo).port}` });
  try {
    expect(await send(OPEN, 'a', 'another secret')).toBe(401);
    expect(await send(OPEN, 'a')).toBe(200);
    expect(await send(OPEN, 'a')).toBe(200);
    expect(await send(OPEN, 'b', SECRET, 'x-airlock-signature-256-next')).toBe(200);
    const warning = bodyOf({ severity: 'warning' });
    const cleared = bodyOf({ severity: 'error', cleared_time_ms: 1 });
    const state = stateEvent({ liveVideoId: '42', ownerId: '7', status: 'LIVE', stream: 'connected', atMs: 1 });
    expect(await send(warning, 'c')).toBe(200);
    expect(await send(cleared, 'd')).toBe(200);
    expect(await send(webhookBody(state, { id: '7', kind: 'page' }), 'e')).toBe(200);
    expect(texts).toEqual(Array(2).fill('Live video 42: No key frame for 4.07 s'));
    // A chat that fails: the delivery fails too, so that it is repeated.
    status = 500;
    expect(await send(OPEN, 'f')).toBe(502);
    status = 200;
    expect(await send(OPEN, 'f')).toBe(200);
    expect(texts).toHaveLength(3);
  } finally {
    stop();
    chat.closeAllConnections();
    chat.close();
  }
});

test('passes an open error on by mail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-receiver-'));
  const mailer = join(folder, 'sendmail');
  writeFileSync(mailer, `#!/bin/sh\necho "$@" > ${folder}/mail\ncat >> ${folder}/mail\n`);
  chmodSync(mailer, 0o755);
  const { send, stop } = await receiver({ MAIL_TO: 'ops@example.org', SENDMAIL: mailer });
  try {
    expect(await send(OPEN, 'a')).toBe(200);
    expect(readFileSync(join(folder, 'mail'), 'utf8')).toBe(
      '-i ops@example.org\nTo: ops@example.org\nSubject: Airlock: Live video 42: No key frame for 4.07 s\n\n' +
        'Live video 42: No key frame for 4.07 s\n',
    );
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
