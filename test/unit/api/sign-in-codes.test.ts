import { SIGN_IN, SignInCodes } from '../../../src/api/access/sign-in-codes.js';

const as = (ownerId: string) => ({ ownerId, readsAll: false });

function harness() {
  let nowMs = 1_000;
  const codes = new SignInCodes(() => nowMs);
  return {
    codes,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a code signs its owner in, once', () => {
  const { codes } = harness();
  const [first, second] = [codes.issue(as('1')), codes.issue(as('2'))];
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(codes.redeem('a'.repeat(43))).toBeUndefined();
  expect(codes.redeem(second)).toEqual(as('2'));
  expect(codes.redeem(second)).toBeUndefined();
  expect(codes.redeem(first)).toEqual(as('1'));
});

test('a code expires', () => {
  const { codes, pass } = harness();
  const [early, late] = [codes.issue(as('1')), codes.issue(as('1'))];
  pass(SIGN_IN.codeMs - 1);
  expect(codes.redeem(early)).toEqual(as('1'));
  pass(1);
  expect(codes.redeem(late)).toBeUndefined();
});

test('holds a bounded number of codes: the newest', () => {
  const { codes } = harness();
  const all = Array.from({ length: SIGN_IN.codes + 1 }, (_, id) => codes.issue(as(String(id))));
  expect(codes.redeem(all[0] ?? '')).toBeUndefined();
  expect(codes.redeem(all[1] ?? '')).toEqual(as('1'));
  expect(codes.redeem(all.at(-1) ?? '')).toEqual(as(String(SIGN_IN.codes)));
});
