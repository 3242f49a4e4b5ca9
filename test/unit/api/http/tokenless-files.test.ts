import { API_LIMITS } from '../../../../src/api/context/limits.js';
import type { ByteShare } from '../../../../src/api/http/body-budget.js';
import { countTokenless, TokenlessFiles } from '../../../../src/api/http/body-budget.js';

/** A chunk with a given length and no content, since its bytes are not read. */
const file = async function* (...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const length of sizes) yield { length } as Uint8Array;
};

async function take(share: ByteShare, ...sizes: number[]): Promise<number> {
  let bytes = 0;
  for await (const chunk of countTokenless(file(...sizes), share)) bytes += chunk.length;
  return bytes;
}

const { perRequest, perHolder, total } = API_LIMITS.tokenlessFiles;
const refused = { shape: { code: 104, status: 400 } };

test('bounds the bytes of one request over all chunks and files', async () => {
  const tokenless = new TokenlessFiles();
  const share = tokenless.open('a');
  expect(await take(share, 1, perRequest - 1)).toBe(perRequest);
  await expect(take(share, 1)).rejects.toMatchObject(refused);
  await expect(take(tokenless.open('b'), 1, perRequest)).rejects.toMatchObject(refused);
});

test('bounds the bytes of one address, and leaves room for others', async () => {
  const tokenless = new TokenlessFiles();
  expect(await take(tokenless.open('a'), perHolder)).toBe(perHolder);
  await expect(take(tokenless.open('a'), 1)).rejects.toMatchObject(refused);
  expect(await take(tokenless.open('b'), 1)).toBe(1);
});

test('bounds the bytes of all requests, and reuses released bytes', async () => {
  const tokenless = new TokenlessFiles();
  const shares = Array.from({ length: total / perHolder }, (_, n) => tokenless.open(`address ${n}`));
  for (const share of shares) await take(share, perHolder);
  const late = tokenless.open('late');
  await expect(take(late, 1)).rejects.toMatchObject(refused);
  shares[0]?.release();
  late.release();
  expect(await take(late, perHolder)).toBe(perHolder);
  await expect(take(tokenless.open('later'), 1)).rejects.toMatchObject(refused);
});
