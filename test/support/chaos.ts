/** Three servers on machines of their own, Redis with Sentinel, an object storage and a balancer, for faults of all kinds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureCertificate } from '../../src/config/certificates/certificates.js';
import { Airlock } from './airlock.js';
import { HaProxy } from './haproxy.js';
import { MachineNetwork } from './machine-network.js';
import { RedisSentinel } from './redis-cluster.js';
import { type S3, startS3 } from './s3-server.js';

const PORTS = { rtmps: 1936, http: 8080, probe: 8081 } as const;
/** Quickstarts of an empty store would all make their objects at once. */
const KEY_SECRET = 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT';

/** The time in which an encoder notices that its server does not answer. */
export const notices = (): Promise<void> => sleep(500);

export class ChaosSite {
  readonly network: MachineNetwork;
  readonly redis: RedisSentinel;
  readonly servers: readonly Airlock[];
  readonly balancer: HaProxy;
  readonly #storage: S3;
  readonly #certificates: string;

  static async start(size: number, env: NodeJS.ProcessEnv = {}): Promise<ChaosSite> {
    const network = new MachineNetwork(size);
    const stores = network.hostOf('stores');
    const redis = await RedisSentinel.start(stores);
    const storage = await startS3(stores);
    const certificates = mkdtempSync(join(tmpdir(), 'airlock-chaos-'));
    // Each server would replace a certificate in a shared folder that lacks its own name.
    const { certFile, keyFile } = await ensureCertificate({
      certsDir: certificates,
      tlsCert: undefined,
      tlsKey: undefined,
      publicHost: 'localhost',
      publicRtmpsUrl: undefined,
      publicHttpUrl: undefined,
    });
    const servers: Airlock[] = [];
    for (const { address, launcher } of network.machines) {
      const settings = {
        REDIS_URL: redis.url,
        AIRLOCK_KEY_SECRET: KEY_SECRET,
        AIRLOCK_TLS_CERT: certFile,
        AIRLOCK_TLS_KEY: keyFile,
        AIRLOCK_HOST: '0.0.0.0',
        AIRLOCK_QUICKSTART: 'on',
        AIRLOCK_HTTP_INSECURE: 'on',
        AIRLOCK_PUBLIC_HTTP_URL: `http://${address}:${PORTS.http}`,
        AIRLOCK_RTMPS_PORT: String(PORTS.rtmps),
        AIRLOCK_HTTP_PORT: String(PORTS.http),
        AIRLOCK_PROBE_PORT: String(PORTS.probe),
        AIRLOCK_PROBE_HOST: '0.0.0.0',
        AIRLOCK_PROXY_PROTOCOL: 'on',
        AIRLOCK_TRUSTED_PROXIES: network.hostOf('encoders'),
        AIRLOCK_LOG_FORMAT: 'json',
        ...storage.env,
        ...env,
      };
      servers.push(await Airlock.start(settings, undefined, launcher));
    }
    const balancer = await HaProxy.start(
      network.machines.map(({ address }) => ({
        host: address,
        rtmpsPort: PORTS.rtmps,
        httpPort: PORTS.http,
        probePort: PORTS.probe,
      })),
    );
    return new ChaosSite({ network, redis, servers, balancer, storage, certificates });
  }

  private constructor(
    parts: Pick<ChaosSite, 'network' | 'redis' | 'servers' | 'balancer'> & { storage: S3; certificates: string },
  ) {
    this.network = parts.network;
    this.redis = parts.redis;
    this.servers = parts.servers;
    this.balancer = parts.balancer;
    this.#storage = parts.storage;
    this.#certificates = parts.certificates;
  }

  get authorityFile(): string {
    return join(this.#certificates, 'ca.crt');
  }

  /** Whether a server can receive streams; `false` also without an answer. */
  async isReady(server: Airlock): Promise<boolean> {
    try {
      const url = new URL('/readyz', server.quickstart.http_url);
      return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      return false;
    }
  }

  /** Both nodes of Redis run, and the replica follows. */
  async isRedisWhole(): Promise<boolean> {
    const { replica } = await this.redis.roles();
    if (!replica.running) return false;
    const client = replica.client();
    try {
      return (await client.info('replication')).includes('master_link_status:up');
    } catch {
      return false;
    } finally {
      client.disconnect();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill('SIGKILL')));
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.balancer.stop();
    await this.#storage.close();
    await this.redis.stop();
    this.network.remove();
    rmSync(this.#certificates, { recursive: true, force: true });
  }
}
