import { Progress } from '../../../../src/cli/console/progress.js';

/** The output for updates that are one second apart. */
function written(terminal: object, name: string, parts: readonly (readonly [number, number | undefined])[]): string[] {
  const lines: string[] = [];
  const write = (text: string) => lines.push(text) > 0;
  const stderr = Object.assign(Object.create(process.stderr), terminal, { write });
  let nowMs = 0;
  const progress = new Progress({ stderr }, () => nowMs);
  for (const [bytes, of] of parts) {
    nowMs += 1000;
    progress.update(name, bytes, of);
  }
  progress.clear();
  return lines;
}

test('writes one line that fits the terminal and erases it', () => {
  const lines = written({ isTTY: true, columns: 60 }, 'a/very/long/path/of/a/recording.mkv', [
    [50e6, 100e6],
    [103e6, 100e6],
  ]);
  expect(lines).toEqual([
    '\r\u001b[K[############............] 50 % 50 MB, 50 MB/s  a/very/long',
    '\r\u001b[K[########################] 100 % 103 MB, 52 MB/s  a/very/lo',
    '\r\u001b[K',
  ]);
});

test('shows the bytes read when the size is unknown, and nothing when not on a terminal', () => {
  expect(written({ isTTY: true, columns: 0 }, '-', [[5e6, undefined]])[0]).toBe('\r\u001b[K5 MB, 5 MB/s  -');
  expect(written({ isTTY: false }, '-', [[5e6, undefined]])).toEqual([]);
});
