/** Settings of the HTTP interface, from the environment to what a client and a webhook receiver meet. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of the interface are looked at, not typed
type Json = any;

test('enforces the app secret and both rate limits; the printed key verifies webhook signatures', async () => {
  const deliveries: { body: string; signature: string; headers: Record<string, string> }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    deliveries.push({ body, headers, signature: String(request.headers['x-hub-signature-256']) });
    response.end();
    receiver.emit('delivery');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const delivered = once(receiver, 'delivery');
  const airlock = await Airlock.start({
    AIRLOCK_APP_ID: '4711',
    AIRLOCK_APP_SECRET: 'hush hush',
    AIRLOCK_REQUIRE_APP_SECRET_PROOF: 'on',
    AIRLOCK_RATE_LIMIT_PER_TOKEN: '2',
    AIRLOCK_RATE_LIMIT_PER_ADDRESS: '4',
    // So that an address of elsewhere can be claimed: this machine's own is not counted.
    AIRLOCK_TRUSTED_PROXIES: '127.0.0.1',
    AIRLOCK_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  });
  try {
    const { access_token: token, http_url, live_video_id: live } = airlock.quickstart;
    const proof = createHmac('sha256', 'hush hush').update(token).digest('hex');
    const ask = async (path: string, from?: string) => {
      const url = new URL(path, http_url);
      const headers = { authorization: `Bearer ${token}`, ...(from ? { 'x-forwarded-for': from } : {}) };
      const answer = await fetch(url, { headers });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    expect((await ask('/me')).body.error).toMatchObject({ code: 100, type: 'GraphMethodException' });
    expect((await ask(`/me?appsecret_proof=${proof}`)).status).toBe(200);
    const app = (await (
      await fetch(`${http_url}/debug_token?input_token=${token}&access_token=4711%7Chush%20hush`)
    ).json()) as Json;
    expect(app.data).toMatchObject({ app_id: '4711', is_valid: true });

    const codes = [];
    for (let n = 0; n < 3; n += 1)
      codes.push((await ask(`/me?appsecret_proof=${proof}`, '192.0.2.1')).body.error?.code);
    expect(codes).toEqual([undefined, undefined, 17]);
    for (let n = 0; n < 4; n += 1) await ask('/video_encoder_settings', '192.0.2.2');
    expect((await ask('/video_encoder_settings', '192.0.2.2')).body.error).toMatchObject({ code: 4 });

    await fetch(`${http_url}/${live}?appsecret_proof=${proof}&access_token=${token}&status=SCHEDULED_UNPUBLISHED`, {
      method: 'POST',
      body: new URLSearchParams({ event_params: String(Math.floor(Date.now() / 1000) + 3600) }),
    });
    await delivered;
    const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
    const printed = await runCli(['webhook-secret'], { env });
    expect(printed.code).toBe(0);
    const [first] = deliveries;
    const expected = createHmac('sha256', printed.stdout.trim()).update(first?.body ?? '');
    expect(first?.signature).toBe(`sha256=${expected.digest('hex')}`);
    const standard = new Webhook((await runCli(['webhook-secret', '--standard'], { env })).stdout.trim());
    expect(standard.verify(first?.body ?? '', first?.headers ?? {})).toEqual(JSON.parse(first?.body ?? ''));
    expect(airlock.log).not.toContain('hush hush');
  } finally {
    await airlock.stop();
    await new Promise((resolve) => receiver.close(resolve));
  }
});
