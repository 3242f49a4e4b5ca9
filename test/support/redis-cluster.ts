/** A real cluster of three masters, with or without replicas, and a real Sentinel over a master and a replica. */
import { RedisServer } from './redis-server.js';
import { until } from './store-harness.js';

const SLOTS = 16_384;

export class RedisCluster {
  /** The masters at the start, in the order of their slots. */
  readonly nodes: readonly RedisServer[];
  /** One of each of `nodes` in the same order, when it was asked for. */
  readonly replicas: readonly RedisServer[];

  /** @param nodeTimeoutMs how long a node may say nothing before the others call it failed */
  static async start({ replicas = false, nodeTimeoutMs = 2_000 } = {}): Promise<RedisCluster> {
    const size = 3;
    const timing = ['--cluster-node-timeout', '2000', '--repl-diskless-sync-delay', '0'];
    const all = await Promise.all(
      Array.from({ length: replicas ? size * 2 : size }, () =>
        RedisServer.start({ arguments: ['--cluster-enabled', 'yes', ...timing] }),
      ),
    );
    const cluster = new RedisCluster(all.slice(0, size), all.slice(size));
    const clients = all.map((node) => node.client());
    for (const [index, client] of clients.slice(0, size).entries()) {
      const from = Math.floor((index * SLOTS) / size);
      const to = Math.floor(((index + 1) * SLOTS) / size) - 1;
      await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    }
    for (const client of clients.slice(1)) await client.call('CLUSTER', 'MEET', '127.0.0.1', all[0]!.port);
    const known = (client: (typeof clients)[number]) => async () => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${all.length}`);
    };
    for (const client of clients) await until(known(client));
    for (const [index, client] of clients.slice(size).entries()) {
      await client.call('CLUSTER', 'REPLICATE', String(await clients[index]!.call('CLUSTER', 'MYID')));
      await until(async () => (await client.info('replication')).includes('master_link_status:up'));
    }
    // Each node names the replicas to those who ask it.
    for (const client of clients) {
      await until(async () => {
        const lines = String(await client.call('CLUSTER', 'NODES')).split('\n');
        return lines.filter((line) => line.includes('slave')).length === all.length - size;
      });
      // Nodes that wait long for each other are slow to come together.
      await client.config('SET', 'cluster-node-timeout', nodeTimeoutMs);
      client.disconnect();
    }
    return cluster;
  }

  private constructor(nodes: readonly RedisServer[], replicas: readonly RedisServer[]) {
    this.nodes = nodes;
    this.replicas = replicas;
  }

  get url(): string {
    return this.urlOf(this.nodes);
  }

  /** Finds the whole cluster by way of some of its nodes. */
  urlOf(nodes: readonly RedisServer[]): string {
    return `redis+cluster://${nodes.map((node) => `127.0.0.1:${node.port}`).join(',')}`;
  }

  /** Which master held the keys of a tag at the start. */
  async nodeOf(tag: string): Promise<RedisServer> {
    const client = this.nodes[0]!.client();
    const slot = Number(await client.call('CLUSTER', 'KEYSLOT', `{${tag}}`));
    client.disconnect();
    return this.nodes[Math.floor((slot * this.nodes.length) / SLOTS)]!;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.nodes, ...this.replicas].map((node) => node.stop()));
  }
}

export class RedisSentinel {
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly #sentinel: RedisServer;

  static async start(host = '127.0.0.1'): Promise<RedisSentinel> {
    const master = await RedisServer.start({ host });
    const replica = await RedisServer.start({ host, arguments: ['--replicaof', host, String(master.port)] });
    const sentinel = await RedisServer.start({ host, sentinelOf: master.port });
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
    return `redis+sentinel://${this.#sentinel.host}:${this.#sentinel.port}/main`;
  }

  /** The server that Sentinel names as the master now, and the other one. */
  async roles(): Promise<{ readonly master: RedisServer; readonly replica: RedisServer }> {
    const client = this.#sentinel.client();
    const answer = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main');
    client.disconnect();
    const port = Array.isArray(answer) ? Number(answer[1]) : 0;
    const { master, replica } = this;
    return port === replica.port ? { master: replica, replica: master } : { master, replica };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#sentinel, this.replica, this.master].map((server) => server.stop()));
  }
}
