/** A real cluster of three masters, and a real Sentinel over a master and a replica. */
import { RedisServer } from './redis-server.js';
import { until } from './store-world.js';

const SLOTS = 16_384;

export class RedisCluster {
  readonly nodes: readonly RedisServer[];

  static async start(size = 3): Promise<RedisCluster> {
    const nodes = await Promise.all(
      Array.from({ length: size }, () =>
        RedisServer.start({ arguments: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'] }),
      ),
    );
    const clients = nodes.map((node) => node.client());
    const [first] = nodes;
    for (const [index, client] of clients.entries()) {
      const from = Math.floor((index * SLOTS) / size);
      const to = Math.floor(((index + 1) * SLOTS) / size) - 1;
      await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      if (index > 0) await client.call('CLUSTER', 'MEET', '127.0.0.1', first!.port);
    }
    for (const client of clients) {
      await until(async () => {
        const info = String(await client.call('CLUSTER', 'INFO'));
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`);
      });
      client.disconnect();
    }
    return new RedisCluster(nodes);
  }

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  get url(): string {
    return `redis+cluster://${this.nodes.map((node) => `127.0.0.1:${node.port}`).join(',')}`;
  }

  /** Which node holds the keys of a tag. */
  async nodeOf(tag: string): Promise<RedisServer> {
    const client = this.nodes[0]!.client();
    const slot = Number(await client.call('CLUSTER', 'KEYSLOT', `{${tag}}`));
    client.disconnect();
    return this.nodes[Math.floor((slot * this.nodes.length) / SLOTS)]!;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

export class RedisSentinel {
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly #sentinel: RedisServer;

  static async start(): Promise<RedisSentinel> {
    const master = await RedisServer.start();
    const replica = await RedisServer.start({ arguments: ['--replicaof', '127.0.0.1', String(master.port)] });
    const sentinel = await RedisServer.start({ sentinelOf: master.port });
    const client = sentinel.client();
    await until(async () => String(await client.call('SENTINEL', 'REPLICAS', 'main')).includes(String(replica.port)));
    client.disconnect();
    const link = replica.client();
    await until(async () => (await link.info('replication')).includes('master_link_status:up'));
    link.disconnect();
    return new RedisSentinel(master, replica, sentinel);
  }

  private constructor(master: RedisServer, replica: RedisServer, sentinel: RedisServer) {
    this.master = master;
    this.replica = replica;
    this.#sentinel = sentinel;
  }

  get url(): string {
    return `redis+sentinel://127.0.0.1:${this.#sentinel.port}/main`;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#sentinel, this.replica, this.master].map((server) => server.stop()));
  }
}
