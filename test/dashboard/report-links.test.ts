import { REPORT_LINKS, ReportLinks } from '../../src/dashboard/report-links.js';

function harness(key = 'k') {
  let nowMs = Date.UTC(2026, 0, 15);
  const clock = { wallMs: () => nowMs };
  return {
    links: new ReportLinks(Buffer.from(key), clock),
    clock,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a link names its broadcast until it expires', () => {
  const { links, pass } = harness();
  const { path } = links.make('123');
  expect(links.read(path)).toBe('123');
  pass(REPORT_LINKS.lifeMs - 1);
  expect(links.read(path)).toBe('123');
  pass(1);
  expect(links.read(path)).toBeUndefined();
});

test('a link is good for no other broadcast, no later time and no other server', () => {
  const { links } = harness();
  const { path } = links.make('123');
  expect(links.read(path.replace('123', '124'))).toBeUndefined();
  expect(links.read(path.replace(/\/\w+\/([\w-]+)$/, '/zzzzzzzz/$1'))).toBeUndefined();
  expect(links.read(`${path.slice(0, -1)}`)).toBeUndefined();
  expect(harness('other').links.read(path)).toBeUndefined();
});

test('a link outlives a change of the server key while the former key is accepted', () => {
  const { links, clock } = harness();
  const { path } = links.make('123');
  const previous = { key: Buffer.from('k'), untilMs: clock.wallMs() + 1_000 };
  expect(new ReportLinks(Buffer.from('new'), clock, previous).read(path)).toBe('123');
});
