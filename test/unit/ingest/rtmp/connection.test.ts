/** A publish that its encoder withdraws or replaces while the admission is pending, and a server that goes out of service. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Admission } from '../../../../src/broadcasts/publish-gate.js';
import { DRAINED, REPLACED, SHUT_DOWN } from '../../../../src/broadcasts/publisher/close-reasons.js';
import type { Refusal } from '../../../../src/broadcasts/publisher/refusals.js';
import { refuse } from '../../../../src/broadcasts/publisher/refusals.js';
import type { RtmpSettings } from '../../../../src/ingest/rtmp/connection.js';
import { Connection } from '../../../../src/ingest/rtmp/connection.js';
import { ReadPace } from '../../../../src/ingest/sockets/read-pace.js';
import { type Place, Places } from '../../../../src/lib/places.js';
import { LEASE } from '../../../../src/ports/index.js';
import { DEFAULT_AMF_LIMITS } from '../../../../src/rtmp/limits.js';
import { readCommand } from '../../../../src/rtmp/messages/command.js';
import { MESSAGE_TYPE } from '../../../../src/rtmp/protocol.js';
import { ClientSession } from '../../../../src/rtmp/session/client-session.js';
import { Joiner } from '../../../../src/server/system/joined-log.js';
import { randomBytes } from '../../../../src/server/system/system.js';
import { IngestHarness } from '../../../support/ingest-harness.js';
import { raised, until } from '../../../support/store-harness.js';

/** A promise and the function that resolves it. */
function pending<Value>() {
  let give: (value: Value) => void = () => undefined;
  const answer = new Promise<Value>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}

/** A place that is never taken from its connection. */
function placeOf(accepted: Socket): Place {
  const taken = new Places({ perAddress: 10, total: 10 }, () => false).take('127.0.0.1', () => accepted.destroy());
  if (typeof taken === 'string') throw new Error(taken);
  return taken;
}

const OPEN: RtmpSettings = {
  maxConnections: 10,
  tlsInFront: false,
  readIntervalMs: 0,
  proxyProtocol: false,
  isProxy: () => false,
  isTrustedAddress: () => false,
};

let harness: IngestHarness;
let server: Server;
let socket: Socket;
/** The server's end. */
let accepted: Socket;
let connection: Connection;
/** The decision of the publish gate, by publish name. */
let verdicts: Record<string, ReturnType<typeof pending<Admission | Refusal>>>;
let place: Place;
let refused: Map<string, number>;
let pace: ReadPace;
/** Runs between the start of a publication and its answer. */
let beforeAnswer: () => Promise<void>;

beforeEach(async () => {
  harness = await IngestHarness.open();
  verdicts = { one: pending(), two: pending() };
  refused = new Map();
  beforeAnswer = async () => undefined;
  // Turns come once an hour.
  pace = new ReadPace(3_600_000);
  server = createServer((taken) => {
    accepted = taken;
    place = placeOf(accepted);
    connection = new Connection({
      socket: accepted,
      address: '127.0.0.1',
      place,
      secure: true,
      deps: {
        ...harness.deps,
        strangers: new Joiner(harness.deps).log(),
        randomBytes,
        optimizeSoon: () => undefined,
        settings: OPEN,
      },
      pace,
      desk: {
        admit: (name) => verdicts[name]?.answer ?? Promise.reject(new Error(`asked for ${name}`)),
        release: (admission) => harness.engine.release(admission),
        start: async (...publish) => {
          const started = await harness.engine.start(...publish);
          await beforeAnswer();
          return started;
        },
      },
      refused,
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  socket.destroy();
  server.close();
  await once(server, 'close');
  await harness.close();
});

/** An encoder with a pending publish of `one`. `settled` resolves when all earlier commands have been answered. */
async function encoder() {
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const answered = new Set<number>();
  const statuses: string[] = [];
  const descriptions: (string | undefined)[] = [];
  const session = new ClientSession({
    randomBytes,
    app: 'live',
    tcUrl: 'rtmp://localhost/live',
    name: 'one',
    sink: {
      send: (bytes) => socket.write(bytes),
      takeStatus: ({ code, description }) => {
        statuses.push(code);
        descriptions.push(description);
      },
      takeMessage: ({ typeId, payload }) => {
        if (typeId === MESSAGE_TYPE.commandAmf0)
          answered.add(readCommand(typeId, payload, DEFAULT_AMF_LIMITS).transactionId);
      },
    },
  });
  socket.on('data', (bytes) => session.push(bytes));
  session.start();
  await until(() => session.state === 'publishing-asked');
  /** Resolves when the server has read everything sent so far. */
  const settled = async (number: number) => {
    session.sendCommand(0, 'getStreamLength', number, null);
    await until(() => answered.has(number));
  };
  await settled(50);
  return { session, statuses, descriptions, settled };
}

async function admitted(): Promise<Admission> {
  return { accepted: true, ...(await harness.admit()), preflight: false, tookOver: false, hasStorage: true, heldMs: 0 };
}

const isFree =
  ({ live }: Admission) =>
  async () =>
    (await harness.store.leases.holder(LEASE.publish(live.id))) === undefined;

test('answers the commands of one read in one write', async () => {
  const { session, settled } = await encoder();
  let writes = 0;
  const [write, writev] = [accepted._write.bind(accepted), accepted._writev?.bind(accepted)];
  accepted._write = (...chunk) => {
    writes++;
    write(...chunk);
  };
  accepted._writev = (...chunks) => {
    writes++;
    writev?.(...chunks);
  };
  socket.cork();
  for (const number of [61, 62]) session.sendCommand(0, 'getStreamLength', number, null);
  const answered = settled(63);
  socket.uncork();
  await answered;
  expect(writes).toBe(1);
});

test('frees the key of a withdrawn publish and lets the connection publish again', async () => {
  const { session, statuses, settled } = await encoder();
  const one = await admitted();
  session.sendCommand(0, 'FCUnpublish', 51, null, 'one');
  await settled(52);
  verdicts.one?.give(one);
  await until(isFree(one));
  expect([place.state, statuses]).toEqual(['idle', []]);

  verdicts.one = pending();
  verdicts.one.give(await admitted());
  session.sendCommand(session.streamId, 'publish', 53, null, 'one', 'live');
  await until(() => statuses.length > 0);
  expect([place.state, statuses, harness.publications.size]).toEqual(['settled', ['NetStream.Publish.Start'], 1]);
});

test('publishes the replacement and releases the replaced name when both are admitted', async () => {
  const { session, statuses, settled } = await encoder();
  const [one, two] = [await admitted(), await admitted()];
  session.sendCommand(session.streamId, 'publish', 51, null, 'two', 'live');
  await settled(52);
  verdicts.two?.give(two);
  await harness.states.load(two.live.id);
  verdicts.one?.give(one);
  await until(isFree(one));
  await until(() => statuses.length > 0);
  expect(statuses).toEqual(['NetStream.Publish.Start']);
  expect([...harness.publications.all()].map(({ liveVideoId }) => liveVideoId)).toEqual([two.live.id]);
  socket.destroy();
  await until(isFree(two));
});

test('does not close the connection when a withdrawn publish is refused', async () => {
  const { session, statuses, settled } = await encoder();
  session.sendCommand(0, 'FCUnpublish', 51, null, 'one');
  await settled(52);
  verdicts.one?.give(refuse('unknown-key', 'No.'));
  verdicts.two?.give(await admitted());
  session.sendCommand(session.streamId, 'publish', 53, null, 'two', 'live');
  await until(() => statuses.length > 0);
  expect([statuses, refused.size]).toEqual([['NetStream.Publish.Start'], 0]);
});

test('sends a notice of the time before the publish was answered after the answer', async () => {
  beforeAnswer = async () => {
    const { change } = raised('1', 1, 1, { error_code: 6502, severity: 'warning' });
    connection.notify({ kind: 'violation', liveVideoId: '1', record: change.body });
  };
  const { statuses } = await encoder();
  verdicts.one?.give(await admitted());
  await until(() => statuses.length > 1);
  expect(statuses).toEqual(['NetStream.Publish.Start', 'NetStream.Publish.Violation']);
});

test('lets a publisher of a draining server go at its deadline, with the reason', async () => {
  const { statuses } = await encoder();
  verdicts.one?.give(await admitted());
  await until(() => statuses.length > 0);
  const drainAtMs = harness.clock.monotonicMs() + 20_000;
  connection.drain({ atMs: drainAtMs, close: DRAINED });
  connection.tick(drainAtMs - 1);
  expect(connection.phase).toBe('publishing');
  connection.tick(drainAtMs);
  await until(() => statuses.length > 1);
  expect(statuses).toEqual(['NetStream.Publish.Start', 'NetStream.Publish.Rejected']);
});

test('refuses a publish to a draining server', async () => {
  const { session, statuses, settled } = await encoder();
  session.sendCommand(0, 'FCUnpublish', 51, null, 'one');
  await settled(52);
  verdicts.one?.give(await admitted());
  connection.drain({ atMs: harness.clock.monotonicMs() + 20_000, close: DRAINED });
  session.sendCommand(session.streamId, 'publish', 53, null, 'two', 'live');
  await until(() => refused.size > 0);
  expect([[...refused.keys()], place.state, statuses.includes('NetStream.Publish.Start')]).toEqual([
    ['draining'],
    'idle',
    false,
  ]);
});

test('takes a publish to a process that is replaced, and lets it go at the deadline', async () => {
  const { statuses } = await encoder();
  const atMs = harness.clock.monotonicMs() + 20_000;
  connection.drain({ atMs, close: REPLACED });
  verdicts.one?.give(await admitted());
  await until(() => statuses.length > 0);
  connection.tick(atMs);
  await until(() => statuses.length > 1);
  expect(statuses).toEqual(['NetStream.Publish.Start', 'NetStream.Publish.Rejected']);
});

test('is read at intervals from 10 s after the publish on, while it arrives evenly, and not while it closes', async () => {
  const seen: string[] = [];
  const { join, leave } = pace;
  pace.join = (member) => {
    seen.push('intervals');
    join.call(pace, member);
  };
  pace.leave = (member) => {
    seen.push('as it arrives');
    leave.call(pace, member);
  };
  const { statuses } = await encoder();
  verdicts.one?.give(await admitted());
  await until(() => statuses.length > 0);
  let isEven = true;
  Object.defineProperty(connection.target, 'arrivesEvenly', { get: () => isEven });
  const passes = (ms: number) => {
    harness.clock.advance(ms);
    connection.tick(harness.clock.monotonicMs());
  };
  passes(9_000);
  expect(seen).toEqual([]);
  passes(1_100);
  expect(seen).toEqual(['intervals']);
  isEven = false;
  passes(1_000);
  expect(seen).toEqual(['intervals', 'as it arrives']);
  isEven = true;
  passes(1_000);
  connection.closeWith(DRAINED);
  expect(seen).toEqual(['intervals', 'as it arrives', 'intervals', 'as it arrives']);
});

describe('tells its encoder why it is disconnected', () => {
  const LAST = 'NetStream.Publish.Rejected';

  async function publishing() {
    const peer = await encoder();
    verdicts.one?.give(await admitted());
    await until(() => peer.statuses.length > 0);
    return peer;
  }

  async function isTold({ statuses, descriptions }: Awaited<ReturnType<typeof encoder>>, what: RegExp) {
    const closed = once(socket, 'close');
    await until(() => statuses.includes(LAST));
    expect(statuses.at(-1)).toBe(LAST);
    expect(descriptions.at(-1)).toMatch(what);
    await closed;
  }

  test('when it has been silent', async () => {
    const peer = await publishing();
    harness.clock.advance(30_001);
    connection.tick(harness.clock.monotonicMs());
    await isTold(peer, /for 30 s/);
  });

  test('when what it sends cannot be read', async () => {
    const peer = await publishing();
    // A chunk of type 3 on a chunk stream that has no header.
    socket.write(Uint8Array.of(0xff));
    await isTold(peer, /chunk stream 63 begins with a chunk of type 3/);
  });

  test('when the server fails', async () => {
    const peer = await publishing();
    Object.defineProperty(connection.target, 'audio', {
      value: () => {
        throw new Error('made by the test');
      },
    });
    peer.session.sendAudio(0, Uint8Array.of(0xaf, 0, 0x11, 0x90));
    await isTold(peer, /failed to process/);
  });

  test('when its publish cannot be decided in time, and frees its key later', async () => {
    const peer = await encoder();
    harness.clock.advance(27_001);
    connection.tick(harness.clock.monotonicMs());
    await isTold(peer, /Try again/);
    const late = await admitted();
    verdicts.one?.give(late);
    await until(isFree(late));
    expect([...refused]).toEqual([['store-away', 1]]);
  });

  test('when the server stops before its publish is decided', async () => {
    const peer = await encoder();
    connection.closeWith(SHUT_DOWN);
    await isTold(peer, /restarting/);
    const late = await admitted();
    verdicts.one?.give(late);
    await until(isFree(late));
  });
});
