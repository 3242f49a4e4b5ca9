import { FreshStills, STILLS } from '../../src/dashboard/stills.js';

const JPEG = Uint8Array.of(0xff, 0xd8);

function harness() {
  let nowMs = 1_000_000;
  const asked: { readonly id: string; readonly answer: (jpeg?: Uint8Array) => void }[] = [];
  const take = (id: string) =>
    new Promise<Uint8Array | undefined>((resolve) => asked.push({ id, answer: (jpeg) => resolve(jpeg) }));
  const stills = new FreshStills({ take, clock: { monotonicMs: () => nowMs } });
  return {
    stills,
    asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('all pages that show a broadcast get one picture, made again when it is no longer fresh', async () => {
  const { stills, asked, pass } = harness();
  const pages = [stills.read('1'), stills.read('1')];
  expect(asked).toHaveLength(1);
  asked[0]?.answer(JPEG);
  expect(await Promise.all(pages)).toEqual([
    { jpeg: JPEG, ageMs: 0 },
    { jpeg: JPEG, ageMs: 0 },
  ]);
  pass(STILLS.freshMs - 1);
  expect(await stills.read('1')).toEqual({ jpeg: JPEG, ageMs: STILLS.freshMs - 1 });
  pass(1);
  void stills.read('1');
  expect(asked).toHaveLength(2);
});

test('keeps the last picture of a disconnected encoder for a while, with its age', async () => {
  const { stills, asked, pass } = harness();
  const first = stills.read('1');
  asked[0]?.answer(JPEG);
  await first;
  pass(10_000);
  const second = stills.read('1');
  asked[1]?.answer();
  expect(await second).toEqual({ jpeg: JPEG, ageMs: 10_000 });
  pass(STILLS.keptMs);
  const third = stills.read('1');
  asked[2]?.answer();
  expect(await third).toBeUndefined();
});

test('a broadcast without a picture is not tried again at once', async () => {
  const { stills, asked } = harness();
  const first = stills.read('1');
  asked[0]?.answer();
  expect(await first).toBeUndefined();
  expect(await stills.read('1')).toBeUndefined();
  expect(asked).toHaveLength(1);
});

test('a long list neither asks for all at once nor keeps all', async () => {
  const { stills, asked } = harness();
  const many = Array.from({ length: STILLS.atOnce + 1 }, (_, id) => stills.read(String(id)));
  expect(asked).toHaveLength(STILLS.atOnce);
  for (const { answer } of asked) answer(JPEG);
  expect((await Promise.all(many)).filter((each) => each === undefined)).toHaveLength(1);
  for (let id = 100; id < 100 + STILLS.kept; id++) {
    const read = stills.read(String(id));
    asked.at(-1)?.answer(JPEG);
    await read;
  }
  const before = asked.length;
  void stills.read('0');
  expect(asked).toHaveLength(before + 1);
});
