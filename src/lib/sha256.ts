/** SHA-256 (FIPS 180-4) where Node's is not at hand: in a browser, whose own is asynchronous. For short texts. */

const ROUNDS = 64;
const BLOCK_BYTES = 64;
/** The mark after the message and its length in bits. */
const PADDING_BYTES = 9;

/** The hash in hexadecimal digits. */
export function sha256(message: Uint8Array): string {
  const primes = firstPrimes();
  // The first 32 bits of the fractions of the square roots and of the cube roots of primes (4.2.2, 5.3.3).
  const state = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  const constants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
  const padded = new Uint8Array(Math.ceil((message.length + PADDING_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) addBlock(state, schedule(view, at), constants);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function firstPrimes(): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < ROUNDS; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}

function fraction(value: number): number {
  return (value % 1) * 2 ** 32;
}

function schedule(view: DataView, at: number): Uint32Array {
  const words = new Uint32Array(ROUNDS);
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + 4 * i);
  const word = (i: number): number => words[i] as number;
  for (let i = 16; i < ROUNDS; i++) {
    const [early, late] = [word(i - 15), word(i - 2)];
    const small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[i] = word(i - 16) + small0 + word(i - 7) + small1;
  }
  return words;
}

function addBlock(state: Uint32Array, words: Uint32Array, constants: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < ROUNDS; i++) {
    const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + big1 + choice + (constants[i] as number) + (words[i] as number)) | 0;
    const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + big0 + majority) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word;
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
