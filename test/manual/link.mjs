/** A sender's network of its own: a namespace with a veth pair to this machine. Needs Linux, root, ip and tc of iproute2, nft. */
import { spawnSync } from 'node:child_process';

export const HOST_ADDRESS = '10.213.77.1';

export function run(program, ...parameters) {
  const { status, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`);
}

export class Link {
  #space = `airlock-${process.pid}`;
  #host = `al${process.pid}`;
  /** The command that a program of the sender runs in. */
  within = ['ip', 'netns', 'exec', this.#space];

  open() {
    run('ip', 'netns', 'add', this.#space);
    run('ip', 'link', 'add', this.#host, 'type', 'veth', 'peer', 'name', 'sender', 'netns', this.#space);
    run('ip', 'address', 'add', `${HOST_ADDRESS}/30`, 'dev', this.#host);
    run('ip', 'link', 'set', this.#host, 'up');
    this.#inside('ip', 'address', 'add', '10.213.77.2/30', 'dev', 'sender');
    this.#inside('ip', 'link', 'set', 'sender', 'up');
    this.#inside('ip', 'link', 'set', 'lo', 'up');
    // A socket that holds seconds of the stream hides a full link from the encoder.
    this.#inside('sysctl', '-q', '-w', 'net.ipv4.tcp_wmem=4096 16384 65536');
  }

  close() {
    spawnSync('nft', ['delete', 'table', 'inet', this.#host]);
    spawnSync('ip', ['netns', 'delete', this.#space]);
  }

  /** A queue of less than a round trip of data drops packets. */
  narrow(kbps, queueMs = 400) {
    const tbf = ['tbf', 'rate', `${kbps}kbit`, 'burst', '32kbit', 'latency', `${queueMs}ms`];
    this.#inside('tc', 'qdisc', 'replace', 'dev', 'sender', 'root', ...tbf);
  }

  /** Drops a share of the sender's packets. */
  lose(percent) {
    run('nft', 'add', 'table', 'inet', this.#host);
    run('nft', 'add', 'chain', 'inet', this.#host, 'in', '{ type filter hook input priority 0; }');
    const lost = ['numgen', 'random', 'mod', '100', '<', String(percent), 'drop'];
    run('nft', 'add', 'rule', 'inet', this.#host, 'in', 'iifname', this.#host, ...lost);
  }

  down() {
    run('ip', 'link', 'set', this.#host, 'down');
  }

  up() {
    run('ip', 'link', 'set', this.#host, 'up');
  }

  /** As at first. */
  restore() {
    spawnSync('nft', ['delete', 'table', 'inet', this.#host]);
    spawnSync(...this.#command('tc', 'qdisc', 'del', 'dev', 'sender', 'root'));
    this.up();
  }

  #inside(...parameters) {
    const [program, all] = this.#command(...parameters);
    run(program, ...all);
  }

  #command(...parameters) {
    const [program, ...all] = [...this.within, ...parameters];
    return [program, all];
  }
}
