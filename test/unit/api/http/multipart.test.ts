import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { type BodyKeeper, readBody } from '../../../../src/api/http/body.js';
import type { IncomingFile } from '../../../../src/api/http/multipart.js';
import { ServiceError } from '../../../../src/spec/service-errors.js';

const request = (...pieces: string[]): IncomingMessage =>
  Object.assign(Readable.from(pieces.map((piece) => Buffer.from(piece))), {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  }) as unknown as IncomingMessage;

/** Reads and discards each file; sums the reserved bytes. */
class Keeper implements BodyKeeper {
  reserved = 0;
  refuse: (error: unknown) => void = () => undefined;
  readonly sizes: Record<string, number> = {};
  readonly #file: ((file: IncomingFile) => Promise<void>) | undefined;

  constructor(file?: (file: IncomingFile) => Promise<void>) {
    this.#file = file;
  }

  reserve(bytes: number): void {
    this.reserved += bytes;
  }

  field(): undefined {
    return undefined;
  }

  async file(file: IncomingFile): Promise<void> {
    if (this.#file !== undefined) return this.#file(file);
    let size = 0;
    for await (const chunk of file.source) size += chunk.length;
    this.sizes[file.field] = size;
  }

  onRefusal(refuse: (error: unknown) => void): void {
    this.refuse = refuse;
  }
}

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileOf = (name: string, size: number) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n${'f'.repeat(size)}\r\n`;
const inPieces = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_none, at) => text.slice(at * size, (at + 1) * size));

const refused = expect.objectContaining({ shape: expect.objectContaining({ status: 400, code: 100 }) });

test('an exception inside the parser fails the request, not the process', async () => {
  // The header of the second part is truncated, and the parser takes the next bytes for the end of a part.
  const pieces = [
    '--b\r\nContent-Disposition:form-data;=""\r\ne:\r\n\r\n--b\r\n\r\nn:x',
    'c\r\n--b',
    '\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n--b--\r\n',
  ];
  const answer = readBody(request(...pieces), new Keeper());
  await expect(answer).rejects.toBeInstanceOf(ServiceError);
  await expect(answer).rejects.toEqual(refused);
});

test('a file being received ends with an error when the parser throws', async () => {
  const ends: unknown[] = [];
  const keeper = new Keeper(async ({ source }) => {
    try {
      for await (const _ of source);
      ends.push('whole');
    } catch (error) {
      ends.push(error);
      throw error;
    }
  });
  const file = '--b\r\nContent-Disposition: form-data; name="source"; filename="a"\r\n\r\nabc\r\n';
  const pieces = [`${file}--b\r\nContent-Disposition:form-data;=""\r\ne:\r\n\r\n--b\r\n\r\nn:x`, 'c\r\n--b'];
  await expect(readBody(request(...pieces), keeper)).rejects.toEqual(refused);
  expect(ends).toEqual(['whole']);
});

test('an unterminated file after the end of the form is refused at once', async () => {
  const file = 'Content-Disposition: form-data; name="x"; filename="x"';
  const body = `--b--\r\n--b\r\n--b\r\n${file}\r\n\r\nabc`;
  await expect(readBody(request(body), new Keeper())).rejects.toEqual(refused);
});

test('a separate chunk after the end of the form is ignored', async () => {
  const form = '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n--b--\r\n';
  const params = await readBody(
    request(form, '--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\n'),
    new Keeper(),
  );
  expect({ ...params }).toEqual({ title: 'Hello' });
});

describe('the text of a form', () => {
  const { bodyBytes } = API_LIMITS;
  const tooMuch = expect.objectContaining({
    shape: expect.objectContaining({ message: expect.stringContaining('in total') }),
  });

  test('is bounded in total, not per field', async () => {
    const half = field('a', 'x'.repeat(bodyBytes / 2));
    await expect(readBody(request(...inPieces(`${half}${half}--b--\r\n`, 60_000)), new Keeper())).rejects.toEqual(
      tooMuch,
    );
    const fits = field('a', 'x'.repeat(bodyBytes / 2)) + field('b', 'x'.repeat(bodyBytes / 2 - 200));
    const keeper = new Keeper();
    const params = await readBody(request(...inPieces(`${fits}--b--\r\n`, 60_000)), keeper);
    expect(Object.keys(params)).toEqual(['a', 'b']);
    expect(keeper.reserved).toBeGreaterThan(bodyBytes - 200);
    expect(keeper.reserved).toBeLessThanOrEqual(bodyBytes);
  });

  test('includes names', async () => {
    const names = Array.from({ length: 95 }, (_, n) => field(`${n}`.padEnd(10_950, 'n'), 'x'.repeat(50))).join('');
    expect(95 * 10_950 + 95 * 50).toBeLessThan(bodyBytes);
    await expect(readBody(request(...inPieces(`${names}--b--\r\n`, 60_000)), new Keeper())).rejects.toEqual(tooMuch);
  });

  test('is refused while it arrives, and the rest is not read', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        yield Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n');
        for (;;) {
          sent += 10_000;
          yield Buffer.alloc(10_000, 'x');
        }
      })(),
    );
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const reading = readBody(Object.assign(endless, { headers }) as unknown as IncomingMessage, new Keeper());
    await expect(reading).rejects.toEqual(tooMuch);
    endless.destroy();
    expect(sent).toBeLessThan(bodyBytes + 300_000);
  });

  test.each([1_000, 60_000, 5_000_000])('does not include files, in chunks of %i bytes', async (size) => {
    const body = `${fileOf('f', 3_000_000)}${field('a', 'x'.repeat(1_000_000))}${fileOf('g', 2_000_000)}--b--\r\n`;
    const keeper = new Keeper();
    const params = await readBody(request(...inPieces(body, size)), keeper);
    expect(Object.keys(params)).toEqual(['a']);
    expect(keeper.sizes).toEqual({ f: 3_000_000, g: 2_000_000 });
    expect(keeper.reserved).toBeGreaterThan(1_000_000);
    expect(keeper.reserved).toBeLessThan(1_001_000);
  });

  test('is refused when a reservation fails, and when the keeper aborts', async () => {
    const body = inPieces(`${field('a', 'x'.repeat(500_000))}--b--\r\n`, 60_000);
    const full = new Keeper();
    full.reserve = () => {
      throw new Error('full');
    };
    await expect(readBody(request(...body), full)).rejects.toThrow('full');
    const waiting = new Keeper();
    const reading = readBody(request(...body), waiting);
    waiting.refuse(new Error('too late'));
    await expect(reading).rejects.toThrow('too late');
  });
});
