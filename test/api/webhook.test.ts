import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { standardSecret } from '../../src/config/key-secret.js';
import { TOPIC } from '../../src/ports/index.js';
import { Webhook, type WebhookOptions } from '../../src/webhook/webhook.js';
import { ApiHarness } from '../support/api-harness.js';
import { raised, until } from '../support/store-harness.js';

interface Delivery {
  readonly body: string;
  readonly signature: string;
  readonly next: string;
  readonly id: string;
  /** `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  readonly standard: Record<string, string>;
}

/** A receiver that accepts or refuses deliveries. */
class Receiver {
  readonly taken: Delivery[] = [];
  readonly ids: string[] = [];
  refuse: (deliveryId: string) => boolean = () => false;
  hear: (delivery: Delivery) => void = () => undefined;
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#read(request).then((delivery) => {
        this.ids.push(delivery.id);
        this.hear(delivery);
        const refused = this.refuse(delivery.id);
        if (!refused) this.taken.push(delivery);
        response.writeHead(refused ? 500 : 200).end();
      });
    });
  }

  async #read(request: IncomingMessage): Promise<Delivery> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const header = (name: string) => String(request.headers[name]);
    const next = header('x-airlock-signature-256-next');
    const standard = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, header(name)]),
    );
    return { body, next, standard, signature: header('x-hub-signature-256'), id: header('x-airlock-delivery') };
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
    return this;
  }

  /** Delivered changes of a broadcast, in order: a status, or an error's sequence. */
  of(liveVideoId: string): (string | number)[] {
    return this.taken.flatMap(({ body }) => {
      const { value } = JSON.parse(body).entry[0].changes[0];
      if (value.id !== liveVideoId) return [];
      return [value.error ? value.error.sequence : value.status];
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let harness: ApiHarness;
let receiver: Receiver;
const timing = { firstRetryMs: 1, longestRetryMs: 5, pollMs: 20 };
const webhook = (more: Partial<WebhookOptions> = {}) => {
  const hook = new Webhook({
    store: harness.store,
    clock: harness.clock,
    log: harness.log,
    url: receiver.url,
    secret: 'key',
    holder: 'this-process',
    running: { owner: 'system', edge: 'connected' },
    timing,
    ...more,
  });
  hooks.push(hook);
  return hook;
};
const hooks: Webhook[] = [];

beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());
beforeEach(async () => {
  receiver = await new Receiver().listen();
});
afterEach(async () => {
  for (const hook of hooks.splice(0)) await hook.close();
  await receiver.close();
});

async function fault(liveVideoId: string, number: number): Promise<void> {
  const records = await harness.store.records.append([
    raised(liveVideoId, 1, number, { timestampMs: harness.clock.wallMs() }),
  ]);
  harness.store.bus.publish(TOPIC.records, { broadcastId: liveVideoId, records });
}

test('a forward that is in another state is an event, each time', async () => {
  webhook();
  const id = await harness.live();
  const report = { forwardId: '7', liveVideoId: id, ownerId: harness.page, name: 'Origin', attempts: 1, bytesSent: 0 };
  const lastStatus = { level: 'error', code: 'A.B', description: 'No', atMs: 0 };
  const said = { sentKbps: 0, lagMs: 0, droppedMs: 0 };
  const refused = { ...report, ...said, state: 'refused', reason: 'the target says "No"', lastStatus };
  harness.store.bus.publish(TOPIC.forwardState, { ...report, ...said, state: 'connecting', sinceMs: 1_000 });
  harness.store.bus.publish(TOPIC.forwardState, { ...refused, sinceMs: 2_000 });
  const events = () =>
    receiver.taken
      .map(({ body }) => JSON.parse(body).entry[0].changes[0])
      .filter(({ field }) => field === 'live_video_forwards');
  await until(() => events().length === 2);
  expect(events().map(({ value }) => value)).toEqual([
    { id, forward: { id: '7', name: 'Origin', state: 'connecting', since: '1970-01-01T00:00:01.000Z' } },
    {
      id,
      forward: {
        id: '7',
        name: 'Origin',
        state: 'refused',
        since: '1970-01-01T00:00:02.000Z',
        reason: 'the target says "No"',
        last_status: { level: 'error', code: 'A.B', description: 'No', time: '1970-01-01T00:00:00.000Z' },
      },
    },
  ]);
});

test('state transitions and error records are delivered signed and in order', async () => {
  webhook();
  const id = await harness.live();
  await harness.goLive(id);
  harness.clock.advance(10);
  await fault(id, 1);
  harness.clock.advance(10);
  await fault(id, 2);
  harness.clock.advance(10);
  await harness.post(`/${id}`, { title: 'says nothing' });
  await harness.endTo(id, 'LIVE_STOPPED');
  await until(() => receiver.of(id).at(-1) === 'LIVE_STOPPED');
  expect(receiver.of(id).slice(-4)).toEqual(['LIVE', 1, 2, 'LIVE_STOPPED']);
  const video = (await harness.get(`/${id}`, { fields: 'video' })).body.video.id;
  const errors = receiver.taken
    .map(({ body }) => JSON.parse(body).entry[0].changes[0].value)
    .filter(({ error }) => error);
  expect(errors).toMatchObject(errors.map(() => ({ id, error: { broadcast_id: id, video_id: video } })));
  for (const { body, signature } of receiver.taken) {
    expect(signature).toBe(`sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`);
    expect(JSON.parse(body)).toMatchObject({ object: 'page', entry: [{ id: harness.page, time: expect.any(Number) }] });
  }
});

test('during a rotation of the server key a delivery is signed with the previous and the next secret', async () => {
  let previous: string | undefined = 'the previous';
  webhook({ previousSecret: () => previous });
  const id = await harness.live();
  const signed = (key: string, body: string) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  await fault(id, 1);
  await until(() => receiver.of(id).includes(1));
  for (const { body, signature, next } of receiver.taken.splice(0)) {
    expect([signature, next]).toEqual([signed('the previous', body), signed('key', body)]);
  }
  previous = undefined;
  await fault(id, 2);
  await until(() => receiver.of(id).includes(2));
  const last = receiver.taken.at(-1);
  expect([last?.signature, last?.next]).toEqual([signed('key', last?.body ?? ''), 'undefined']);
});

test('a library of Standard Webhooks verifies deliveries, and refuses another secret, id or body', async () => {
  // The library compares timestamps with the clock of the machine.
  const clock = { ...harness.clock, monotonicMs: () => harness.clock.monotonicMs(), wallMs: () => Date.now() };
  let previous: string | undefined = 'previous';
  webhook({ clock, previousSecret: () => previous });
  const verify = (secret: string, { body, standard }: Delivery) =>
    new StandardWebhook(standardSecret(secret)).verify(body, standard);
  const id = await harness.live();
  await fault(id, 1);
  await until(() => receiver.of(id).includes(1));
  for (const each of receiver.taken.splice(0)) {
    expect(each.standard['webhook-id']).toBe(each.id);
    expect(verify('previous', each)).toEqual(JSON.parse(each.body));
    expect(verify('key', each)).toEqual(JSON.parse(each.body));
    expect(() => verify('another', each)).toThrow('No matching signature found');
  }
  previous = undefined;
  await fault(id, 2);
  await until(() => receiver.of(id).includes(2));
  const last = receiver.taken.at(-1);
  if (last === undefined) throw new Error('nothing was delivered');
  expect(verify('key', last)).toEqual(JSON.parse(last.body));
  expect(() => verify('previous', last)).toThrow('No matching signature found');
  expect(() => verify('key', { ...last, body: `${last.body} ` })).toThrow('No matching signature found');
  const renamed = { ...last.standard, 'webhook-id': 'another' };
  expect(() => verify('key', { ...last, standard: renamed })).toThrow('No matching signature found');
});

test('a repeated delivery keeps its webhook-id and is signed with the time of its attempt', async () => {
  const tries: Delivery[] = [];
  receiver.hear = (delivery) => {
    if (!delivery.id.endsWith('-e-1')) return;
    tries.push(delivery);
    harness.clock.advance(600_000);
  };
  receiver.refuse = (each) => each.endsWith('-e-1') && tries.length < 2;
  webhook();
  const id = await harness.live();
  await fault(id, 1);
  await until(() => receiver.of(id).includes(1));
  const [first, second] = tries.map(({ standard }) => standard);
  expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
  expect(Number(second?.['webhook-timestamp'])).toBeGreaterThanOrEqual(Number(first?.['webhook-timestamp']) + 600);
  expect(second?.['webhook-signature']).not.toBe(first?.['webhook-signature']);
});

test('a refused delivery is retried before the next one, with the same id', async () => {
  const refused = new Map<string, number>();
  receiver.refuse = (each) => {
    const before = refused.get(each) ?? 0;
    refused.set(each, before + 1);
    return each.endsWith('-e-1') && before < 2;
  };
  webhook();
  const id = await harness.live();
  await fault(id, 1);
  await fault(id, 2);
  await until(() => receiver.of(id).includes(2));
  expect(receiver.of(id).filter((each) => typeof each === 'number')).toEqual([1, 2]);
  const tries = receiver.ids.filter((each) => each.startsWith(`${id}-e-`));
  expect(tries.length).toBeGreaterThan(2);
  expect(tries.slice(-2)).toEqual([`${id}-e-1`, `${id}-e-2`]);
  expect(new Set(tries.slice(0, -1))).toEqual(new Set([`${id}-e-1`]));
});

test('pending deliveries are delivered once each after a restart', async () => {
  receiver.refuse = () => true;
  const first = webhook();
  const id = await harness.live();
  await harness.goLive(id);
  await fault(id, 1);
  await until(() => receiver.ids.length > 0);
  await first.close();
  await fault(id, 2);
  receiver.refuse = () => false;
  webhook();
  await until(() => receiver.of(id).includes(2));
  expect(receiver.of(id).filter((each) => each === 1 || each === 2)).toEqual([1, 2]);
  expect(receiver.of(id)).toContain('LIVE');
});

test('nothing of a deleted broadcast remains after its last delivery', async () => {
  webhook();
  const id = await harness.live();
  await harness.goLive(id);
  await until(async () => (await harness.store.objects.get(`webhook:${id}`)) !== undefined);
  expect((await harness.delete(`/${id}`)).body).toMatchObject({ success: true });
  await until(() => receiver.of(id).at(-1) === 'LIVE_STOPPED');
  await until(async () => (await harness.store.objects.get(`webhook:${id}`)) === undefined);
  // The deletion is announced too, after the end, and may come last.
  await until(async () => (await harness.store.objects.edgeSize({ owner: `webhook:${id}`, edge: 'moves' })) === 0);
});
