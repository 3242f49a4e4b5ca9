/** Two servers on one Redis behind HAProxy, of which one stands still: how long its encoders, and those that come, must wait. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Airlock } from './airlock.js';
import { HaProxy } from './haproxy.js';
import { RedisServer } from './redis-server.js';
import { ReturningPublisher } from './returning-publisher.js';
import { synthStream } from './synth-stream.js';

/** What stands still. */
export type Frozen = 'supervisor' | 'ingest' | 'all';

const SETTINGS = {
  AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
  AIRLOCK_QUICKSTART: 'on',
  AIRLOCK_RECORD: 'off',
  AIRLOCK_LOG_FORMAT: 'json',
  AIRLOCK_LOG_LEVEL: 'info',
  AIRLOCK_PROBE_PORT: '0',
  AIRLOCK_PROXY_PROTOCOL: 'on',
  AIRLOCK_TRUSTED_PROXIES: '127.0.0.1',
};
/** As OBS and ffmpeg: they give up a handshake after seconds, and wait longer for an answer. */
const PATIENCE = { handshakeMs: 5_000, answerMs: 12_000 };
const CLIP = [...synthStream({ durationMs: 2_000, videoKbps: 100, width: 320, height: 180, levelIdc: 30 })];

type Live = Awaited<ReturnType<Airlock['createLive']>>;

interface Encoder {
  readonly id: string;
  readonly publisher: ReturningPublisher;
  readonly done: Promise<void>;
}

export class FrozenMachine {
  readonly #redis: RedisServer;
  readonly #servers: readonly [Airlock, Airlock];
  readonly #folder: string;

  static async start(): Promise<FrozenMachine> {
    const redis = await RedisServer.start();
    const folder = mkdtempSync(join(tmpdir(), 'airlock-frozen-'));
    const env = { ...SETTINGS, REDIS_URL: redis.url };
    const first = await Airlock.start(env, join(folder, 'first'));
    const second = await Airlock.start(env, join(folder, 'second'));
    return new FrozenMachine(redis, [first, second], folder);
  }

  private constructor(redis: RedisServer, servers: readonly [Airlock, Airlock], folder: string) {
    this.#redis = redis;
    this.#servers = servers;
    this.#folder = folder;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    await this.#redis.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Seconds from the stop of a machine until the other one receives an encoder. `coming` connects at that moment, and the balancer
   * prefers the machine that stands still, which has fewer connections; `staying` publishes to it already.
   */
  async measure(frozen: Frozen): Promise<{ readonly coming: number; readonly staying: number }> {
    await Promise.all(this.#servers.map((server) => this.#untilReady(server)));
    // All machines are up for a balancer that has just been started.
    const balancer = await HaProxy.start(this.#servers.map(backendOf));
    const encoders: Encoder[] = [];
    const stopped: number[] = [];
    try {
      for (let at = 0; at < 4; at++) {
        const encoder = await this.#encoder(balancer.port);
        encoders.push(encoder);
        await encoder.publisher.accepted(1);
        await this.#untilAccepted(encoder);
      }
      const [first] = this.#servers;
      const [staying, leaving] = encoders.filter(({ id }) => hasAccepted(first, id));
      if (staying === undefined || leaving === undefined) throw new Error('two encoders are expected on each machine');
      const closed = async () => first.log.split('"connection closed"').length;
      const before = await closed();
      leaving.publisher.stop();
      await first.until(closed, (count) => count > before);
      const next = await this.#live();
      for (const pid of pidsOf(first, frozen)) {
        process.kill(pid, 'SIGSTOP');
        stopped.push(pid);
      }
      const startedMs = performance.now();
      const received = async ({ publisher }: Encoder, sessions: number) => {
        await publisher.accepted(sessions);
        return (performance.now() - startedMs) / 1_000;
      };
      const coming = this.#publish(next, balancer.port);
      encoders.push(coming);
      const [came, stayed] = await Promise.all([received(coming, 1), received(staying, 2)]);
      return { coming: came, staying: stayed };
    } finally {
      for (const pid of stopped) goOn(pid);
      for (const { publisher } of encoders) publisher.stop();
      await Promise.all(encoders.map(({ done }) => done));
      await balancer.stop();
    }
  }

  async #encoder(port: number): Promise<Encoder> {
    return this.#publish(await this.#live(), port);
  }

  #live(): Promise<Live> {
    return this.#servers[1].createLive();
  }

  #publish({ id, key }: Live, port: number): Encoder {
    const publisher = new ReturningPublisher(this.#servers[1], key, CLIP, { port, patience: PATIENCE });
    return { id, publisher, done: publisher.run() };
  }

  async #untilAccepted({ id }: Encoder): Promise<void> {
    const ask = async () => this.#servers.some((server) => hasAccepted(server, id));
    await this.#servers[1].until(ask, (isAccepted) => isAccepted);
  }

  async #untilReady(server: Airlock): Promise<void> {
    const ask = async () => (await fetch(`http://127.0.0.1:${probePortOf(server)}/readyz?unready=404`)).status;
    await server.until(ask, (status) => status === 200);
  }
}

const probePortOf = ({ log }: Airlock): number => Number(/"port":(\d+),"msg":"probes are answered"/.exec(log)?.[1]);

const backendOf = (server: Airlock) => ({
  host: '127.0.0.1',
  rtmpsPort: server.quickstart.rtmps_port,
  httpPort: server.quickstart.http_port,
  probePort: probePortOf(server),
});

const hasAccepted = ({ log }: Airlock, id: string): boolean =>
  log.split('\n').some((line) => line.includes('"publish accepted"') && line.includes(id));

function pidsOf(server: Airlock, frozen: Frozen): readonly number[] {
  if (frozen === 'supervisor') return [server.pid];
  return frozen === 'ingest' ? server.pidsOf('ingest') : server.pids;
}

/** The supervisor may have ended it meanwhile. */
function goOn(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}
