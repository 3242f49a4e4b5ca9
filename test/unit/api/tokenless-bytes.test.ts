import { TokenlessBytes, type TokenlessShare } from '../../../src/api/http/tokenless-bytes.js';
import { API_LIMITS } from '../../../src/api/services.js';

/** One chunk that says it is so long; nothing reads its bytes. */
const file = async function* (...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const length of sizes) yield { length } as Uint8Array;
};

async function take(tokenless: TokenlessBytes, share: TokenlessShare, ...sizes: number[]): Promise<number> {
  let bytes = 0;
  for await (const chunk of tokenless.count(file(...sizes), share)) bytes += chunk.length;
  return bytes;
}

const { tokenlessFileBytes, tokenlessBytes } = API_LIMITS;
const refused = { shape: { code: 104, status: 400 } };

test('so much of one request, however many chunks and files', async () => {
  const tokenless = new TokenlessBytes();
  const share = { bytes: 0 };
  expect(await take(tokenless, share, 1, tokenlessFileBytes - 1)).toBe(tokenlessFileBytes);
  await expect(take(tokenless, share, 1)).rejects.toMatchObject(refused);
  await expect(take(tokenless, { bytes: 0 }, 1, tokenlessFileBytes)).rejects.toMatchObject(refused);
});

test('so much of all requests; what is over is free again', async () => {
  const tokenless = new TokenlessBytes();
  const shares = Array.from({ length: tokenlessBytes / tokenlessFileBytes }, () => ({ bytes: 0 }));
  for (const share of shares) await take(tokenless, share, tokenlessFileBytes);
  const late = { bytes: 0 };
  await expect(take(tokenless, late, 1)).rejects.toMatchObject(refused);
  tokenless.release(shares[0] ?? late);
  tokenless.release(late);
  expect(await take(tokenless, late, tokenlessFileBytes)).toBe(tokenlessFileBytes);
  await expect(take(tokenless, { bytes: 0 }, 1)).rejects.toMatchObject(refused);
});
