/** Who makes room at the bounds of a port. */
import { type Bound, type Place, Places } from '../../../src/lib/places.js';

/** Places with a record of who lost one, by name. */
function stand(perAddress: number, total: number, isShared: (address: string) => boolean = () => false) {
  const lost: string[] = [];
  const places = new Places({ perAddress, total }, isShared);
  const take = (address: string, name = address): Place => {
    const place = places.take(address, () => lost.push(name));
    if (typeof place === 'string') throw new Error(`no room: ${place}`);
    return place;
  };
  const refusal = (address: string): Bound | undefined => {
    const place = places.take(address, () => undefined);
    return typeof place === 'string' ? place : undefined;
  };
  return { places, lost, take, refusal };
}

test('2,142 silent connections of 34 networks never take the place of an encoder that arrives meanwhile', () => {
  const { places, lost, take } = stand(64, 2_000);
  for (let n = 0; n < 2_142; n++) take(`203.0.${n % 34}.${1 + (n % 5)}`, 'silent');
  const encoders = Array.from({ length: 6 }, (_, n) => take(`198.51.100.${n}`, 'encoder'));
  for (let n = 0; n < 10_000; n++) take(`203.0.${n % 34}.${1 + (n % 5)}`, 'silent');
  for (const encoder of encoders) encoder.become('settled');
  expect(new Set(lost)).toEqual(new Set(['silent']));
  expect(places.size).toBe(2_000);
});

test.each([
  ['/24', (n: number) => `203.0.113.${n}`, '198.51.100.1'],
  ['/64', (n: number) => `2001:db8:1:2::${n.toString(16)}`, '2001:db8:2:2::1'],
  ['/56', (n: number) => `2001:db8:1:2${n.toString(16).padStart(2, '0')}::1`, '2001:db8:1:300::1'],
  ['/48', (n: number) => `2001:db8:1:${n.toString(16)}00::1`, '2001:db8:2::1'],
])('connections that fill a %s lose their places to each other, the oldest first', (_, from, other) => {
  const { lost, take } = stand(64, 40);
  take(other);
  for (let n = 0; n < 40; n++) take(from(n), `${n}`);
  for (let n = 40; n < 100; n++) take(from(n), `${n}`);
  expect(lost).toEqual(Array.from({ length: 61 }, (_, n) => `${n}`));
});

test('within the largest network, the largest network makes room', () => {
  const { lost, take } = stand(64, 4);
  take('198.51.100.1', 'neighbor');
  for (const name of ['first', 'second', 'third']) take('198.51.100.2', name);
  take('192.0.2.1');
  expect(lost).toEqual(['first']);
});

test('the network with the oldest connection makes room among those of one size', () => {
  const { lost, take } = stand(64, 3);
  const first = take('192.0.2.1', 'first');
  take('198.51.100.1', 'second');
  take('203.0.113.1', 'third');
  first.become('busy');
  first.become('idle');
  take('192.0.3.1');
  expect(lost).toEqual(['second']);
});

test('publishers and connections whose key is checked keep their places', () => {
  const { lost, take, refusal } = stand(64, 3);
  take('192.0.2.1', 'publisher').become('settled');
  take('192.0.2.1', 'asking').become('busy');
  const third = take('192.0.2.1', 'silent');
  third.become('busy');
  expect(refusal('198.51.100.1')).toBe('total');
  third.become('idle');
  expect(refusal('198.51.100.1')).toBeUndefined();
  expect(lost).toEqual(['silent']);
});

test('at the bound of an address, its oldest idle connection makes room, and a publisher does not count', () => {
  const { lost, take, refusal } = stand(2, 10);
  take('192.0.2.1', 'publisher').become('settled');
  take('192.0.2.1', 'first').become('busy');
  take('192.0.2.1', 'second');
  take('192.0.2.1', 'third').become('busy');
  expect(lost).toEqual(['second']);
  expect(refusal('192.0.2.1')).toBe('address');
  expect(refusal('192.0.2.2')).toBeUndefined();
});

test('shared addresses have the total bound only, and make room last', () => {
  const { lost, take } = stand(1, 3, (address) => address === '127.0.0.1');
  take('127.0.0.1', 'first behind the proxy');
  take('127.0.0.1', 'second behind the proxy');
  take('192.0.2.1', 'stranger');
  take('127.0.0.1');
  take('127.0.0.1');
  expect(lost).toEqual(['stranger', 'first behind the proxy']);
});

test('places that ended are free, also those that were settled', () => {
  const { places, lost, take } = stand(1, 2);
  const [one, other] = [take('192.0.2.1'), take('2001:db8::1')];
  one.become('settled');
  one.become('idle');
  one.leave();
  other.become('settled');
  other.leave();
  other.leave();
  expect(places.size).toBe(0);
  take('192.0.2.1');
  take('2001:db8::1');
  expect(lost).toEqual([]);
});
