import { addressGroup, networksOf } from '../../../src/lib/address-group.js';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1:2:3:4%eth0', 'fe80:0:0:0::/64'],
  ['/run/airlock.sock', '/run/airlock.sock'],
  ['', ''],
])('counts %s as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

test('groups addresses by their /64', () => {
  expect(addressGroup('2001:db8:0:1::1')).toBe(addressGroup('2001:db8:0:1:ffff:ffff:ffff:ffff'));
  expect(addressGroup('2001:db8:0:1::1')).not.toBe(addressGroup('2001:db8:0:2::1'));
});

test.each([
  ['192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
  ['::ffff:192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
  ['2001:db8:1:2ff::6', ['2001:db8:1::/48', '2001:db8:1:200::/56', '2001:db8:1:2ff::/64']],
  ['2001:db8::1', ['2001:db8:0::/48', '2001:db8:0:0::/56', '2001:db8:0:0::/64']],
  ['', ['']],
])('%s is in the networks %j', (address, networks) => {
  expect(networksOf(address)).toEqual(networks);
});
