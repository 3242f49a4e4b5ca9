/**
 * The places of a port: a bound for each address group and one in total. At a bound, the connection that has been idle the
 * longest makes room, so a client that shares its address or its server with an attacker is still served. In total, it is one
 * of the largest network: the largest /24 or /48 first, then the largest network within it.
 */
import { networksOf } from './address-group.js';

export interface PlaceLimits {
  /** Places of one address group. */
  readonly perAddress: number;
  readonly total: number;
}

export type Bound = 'address' | 'total';

/**
 * `idle`: makes room for others. `busy`: stays, and counts for its address. `settled`: stays, and counts in the total only.
 */
export type PlaceState = 'idle' | 'busy' | 'settled';

class Network {
  size = 0;
  /** The longest idle first. */
  readonly idle = new Set<Place>();
  readonly inside = new Map<string, Network>();
}

export class Place {
  state: PlaceState = 'idle';
  /** It was given to another connection. */
  isLost = false;
  /** Orders places by the time at which they became idle. */
  idleSince = 0;
  /** Networks of its address, the widest first; empty while it is settled or free. */
  networks: readonly Network[] = [];
  readonly address: string;
  readonly close: (bound: Bound) => void;
  readonly #places: Places;

  constructor(places: Places, address: string, close: (bound: Bound) => void) {
    this.#places = places;
    this.address = address;
    this.close = close;
  }

  become(state: PlaceState): void {
    this.#places.move(this, state);
  }

  /** The connection has ended. */
  leave(): void {
    this.#places.remove(this);
  }
}

export class Places {
  /** Connections that were refused, or lost their place. */
  refused = 0;
  readonly #limits: PlaceLimits;
  readonly #isShared: (address: string) => boolean;
  readonly #all = new Set<Place>();
  readonly #strangers = new Network();
  /** Many clients are behind a shared address: they have the total bound only, and make room last. */
  readonly #shared = new Network();
  #order = 0;

  constructor(limits: PlaceLimits, isShared: (address: string) => boolean) {
    this.#limits = limits;
    this.#isShared = isShared;
  }

  get size(): number {
    return this.#all.size;
  }

  /**
   * A place for a connection of this address, idle at first, or the bound that has no room. `close`: ends the connection,
   * because another one gets its place.
   */
  take(address: string, close: (bound: Bound) => void): Place | Bound {
    const bound = this.#makeRoom(address);
    if (bound !== undefined) {
      this.refused++;
      return bound;
    }
    const place = new Place(this, address, close);
    this.#all.add(place);
    this.#join(place);
    return place;
  }

  move(place: Place, state: PlaceState): void {
    const { state: former } = place;
    if (!this.#all.has(place) || former === state) return;
    if (state === 'settled') this.#part(place);
    place.state = state;
    if (former === 'settled') this.#join(place);
    else this.#mark(place);
  }

  remove(place: Place): void {
    if (this.#all.delete(place)) this.#part(place);
  }

  #join(place: Place): void {
    if (place.state === 'settled') return;
    place.networks = this.#isShared(place.address) ? [this.#shared] : this.#open(place.address);
    for (const network of place.networks) network.size++;
    this.#mark(place);
  }

  #mark(place: Place): void {
    place.idleSince = ++this.#order;
    for (const { idle } of place.networks) {
      if (place.state === 'idle') idle.add(place);
      else idle.delete(place);
    }
  }

  #open(address: string): readonly Network[] {
    const networks = [this.#strangers];
    let outer = this.#strangers;
    for (const name of networksOf(address)) {
      const inner = outer.inside.get(name) ?? new Network();
      outer.inside.set(name, inner);
      networks.push(inner);
      outer = inner;
    }
    return networks;
  }

  #part(place: Place): void {
    for (const network of place.networks) {
      network.size--;
      network.idle.delete(place);
    }
    if (place.networks[0] === this.#strangers) forgetEmpty(this.#strangers, networksOf(place.address));
    place.networks = [];
  }

  /** The bound that leaves no room. */
  #makeRoom(address: string): Bound | undefined {
    if (!this.#isShared(address)) {
      const group = networksOf(address).reduce<Network | undefined>(
        (outer, name) => outer?.inside.get(name),
        this.#strangers,
      );
      if (group !== undefined && group.size >= this.#limits.perAddress) return this.#closeOldest(group, 'address');
    }
    if (this.#all.size < this.#limits.total) return undefined;
    return this.#closeOldest(this.#largest(), 'total');
  }

  #largest(): Network {
    let network = this.#strangers.idle.size > 0 ? this.#strangers : this.#shared;
    while (network.inside.size > 0) {
      let largest: Network | undefined;
      for (const each of network.inside.values()) {
        if (each.idle.size > 0 && (largest === undefined || comesFirst(each, largest))) largest = each;
      }
      if (largest === undefined) break;
      network = largest;
    }
    return network;
  }

  #closeOldest({ idle }: Network, bound: Bound): Bound | undefined {
    const [oldest] = idle;
    if (oldest === undefined) return bound;
    this.refused++;
    oldest.isLost = true;
    // Its socket reports the end later, but it no longer counts.
    this.remove(oldest);
    oldest.close(bound);
    return undefined;
  }
}

/** Prefers, of two networks of one size, the one with the longer idle place. */
function comesFirst(one: Network, other: Network): boolean {
  if (one.size !== other.size) return one.size > other.size;
  const [[ofOne], [ofOther]] = [one.idle, other.idle];
  return (ofOne?.idleSince ?? 0) < (ofOther?.idleSince ?? 0);
}

function forgetEmpty(outer: Network, [name, ...rest]: readonly string[]): void {
  const inner = name === undefined ? undefined : outer.inside.get(name);
  if (name === undefined || inner === undefined) return;
  if (inner.size === 0) outer.inside.delete(name);
  else forgetEmpty(inner, rest);
}
