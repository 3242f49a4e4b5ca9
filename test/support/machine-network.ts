/**
 * Machines of their own on this one: a network namespace each, with one link to the stores and one to the encoders, so that
 * either can be cut without a FIN or an RST. Linux, root, iproute2.
 */
import { spawnSync } from 'node:child_process';

type Link = 'stores' | 'encoders';
const LINKS: readonly Link[] = ['stores', 'encoders'];

function ip(...parameters: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', parameters, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${parameters.join(' ')}: ${stderr}`);
}

/** One of the machines. */
export class Machine {
  /** Where encoders and browsers reach it. */
  readonly address: string;
  /** Before the program that is to run on it. */
  readonly launcher: readonly string[];
  readonly #space: string;
  readonly #outer: Readonly<Record<Link, string>>;

  constructor(network: MachineNetwork, at: number) {
    this.#space = `${network.name}m${at}`;
    this.launcher = ['ip', 'netns', 'exec', this.#space];
    this.address = `${network.prefixOf('encoders')}.${10 + at}`;
    this.#outer = { stores: `${this.#space}s`, encoders: `${this.#space}e` };
    ip('netns', 'add', this.#space);
    this.#inside('link', 'set', 'lo', 'up');
    for (const link of LINKS) {
      const inner = `${link[0]}0`;
      ip('link', 'add', this.#outer[link], 'type', 'veth', 'peer', 'name', inner, 'netns', this.#space);
      ip('link', 'set', this.#outer[link], 'master', network.bridgeOf(link), 'up');
      this.#inside('address', 'add', `${network.prefixOf(link)}.${10 + at}/24`, 'dev', inner);
      this.#inside('link', 'set', inner, 'up');
    }
  }

  /** Packets are lost in both directions; no connection is closed. */
  cut(...links: readonly Link[]): void {
    for (const link of links) ip('link', 'set', this.#outer[link], 'down');
  }

  heal(): void {
    for (const link of LINKS) ip('link', 'set', this.#outer[link], 'up');
  }

  remove(): void {
    ip('netns', 'delete', this.#space);
  }

  #inside(...parameters: readonly string[]): void {
    ip('-netns', this.#space, ...parameters);
  }
}

export class MachineNetwork {
  readonly name = `al${process.pid}`;
  readonly machines: readonly Machine[];

  constructor(size: number) {
    for (const link of LINKS) {
      ip('link', 'add', this.bridgeOf(link), 'type', 'bridge');
      ip('address', 'add', `${this.hostOf(link)}/24`, 'dev', this.bridgeOf(link));
      ip('link', 'set', this.bridgeOf(link), 'up');
    }
    this.machines = Array.from({ length: size }, (_, at) => new Machine(this, at));
  }

  /** The address of this machine on a link. */
  hostOf(link: Link): string {
    return `${this.prefixOf(link)}.1`;
  }

  prefixOf(link: Link): string {
    return `10.${link === 'stores' ? 213 : 214}.${process.pid % 256}`;
  }

  bridgeOf(link: Link): string {
    return `${this.name}${link[0]}`;
  }

  remove(): void {
    for (const machine of this.machines) machine.remove();
    for (const link of LINKS) ip('link', 'delete', this.bridgeOf(link));
  }
}
