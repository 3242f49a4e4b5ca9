/** How many processes are kept, for whom and for how long. */
import { KEPT_PRINTERS, KeptPrinters } from '../../src/probe/kept-printers.js';

const FLV = Uint8Array.of(1);

function opened() {
  let nowMs = 0;
  const all: { prints: number; isOver: boolean }[] = [];
  const open = () => {
    const printer = {
      prints: 0,
      isOver: false,
      close: () => {
        printer.isOver = true;
      },
      print: async () => {
        printer.prints++;
        return printer.isOver ? undefined : Buffer.of(0);
      },
    };
    all.push(printer);
    return printer;
  };
  const printers = new KeptPrinters({ nowMs: () => nowMs, open });
  const print = (owner: string) => printers.print(owner, FLV, 1_000);
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { printers, all, print, wait };
}

test('keeps one process for each owner, up to the bound, and closes them all', async () => {
  const { printers, all, print } = opened();
  for (const round of [0, 1]) {
    for (let at = 0; at < KEPT_PRINTERS.processes; at++) {
      expect(await print(`owner-${at}`)).toMatchObject({ isStarted: round === 0 });
    }
  }
  expect(await print('one more')).toBeUndefined();
  expect(printers.size).toBe(KEPT_PRINTERS.processes);
  expect(all.map(({ prints }) => prints)).toEqual(all.map(() => 2));
  printers.close();
  expect(printers.size).toBe(0);
  expect(all.every(({ isOver }) => isOver)).toBe(true);
});

test('an owner whose process ended has none for a while', async () => {
  const { all, print, wait } = opened();
  await print('owner');
  for (const printer of all) printer.isOver = true;
  expect(await print('owner')).toBeUndefined();
  expect(await print('owner')).toBeUndefined();
  wait(KEPT_PRINTERS.restMs);
  expect(await print('owner')).toMatchObject({ isStarted: true });
  expect(all).toHaveLength(2);
});

test('a process that has made its number of prints makes room for another', async () => {
  const { printers, all, print } = opened();
  for (let at = 0; at < KEPT_PRINTERS.samples; at++) await print('owner');
  expect(printers.size).toBe(0);
  expect(await print('owner')).toMatchObject({ isStarted: true });
  expect(all).toHaveLength(2);
});
