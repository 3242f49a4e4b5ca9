/** Hashes of pictures, and the comparison of two places. */
import { PICTURES } from '../../../src/copyright/limits.js';
import { comparePictures, pictureHash } from '../../../src/copyright/pictures.js';
import { seededRandom } from '../../support/random.js';

const { size } = PICTURES;

/** A few soft blobs, as a scene by seed. */
function scene(seed: number, change: (value: number) => number = (value) => value): Uint8Array {
  const random = seededRandom(seed);
  const blobs = Array.from({ length: 6 }, () => [random() * size, random() * size, 3 + random() * 9, random() - 0.5]);
  const values = Float64Array.from({ length: size * size }, (_, at) =>
    blobs.reduce((sum, [x = 0, y = 0, wide = 1, level = 0]) => {
      const far = ((at % size) - x) ** 2 + (Math.floor(at / size) - y) ** 2;
      return sum + level * Math.exp(-far / wide ** 2);
    }, 0),
  );
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return Uint8Array.from(values, (value) => change(20 + (200 * (value - low)) / (high - low)));
}

const film = (seeds: readonly number[], change?: (value: number) => number): Buffer =>
  Buffer.concat(seeds.map((seed) => scene(seed, change)));

test('pictures of the same scenes are alike in another brightness, and half a second later', () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const changed = film(seeds, (value) => 0.8 * value + 30);
  expect(comparePictures(film(seeds), changed)).toEqual({ compared: 6, alike: 6, agrees: true });
  expect(comparePictures(film(seeds), changed.subarray(size * size))).toMatchObject({ alike: 5, agrees: true });
});

test('unrelated scenes are not', () => {
  const one = film(Array.from({ length: 20 }, (_, at) => at + 1));
  const other = film(Array.from({ length: 20 }, (_, at) => at + 100));
  const { compared, agrees } = comparePictures(one, other);
  expect([compared, agrees]).toEqual([20, false]);
});

test('flat pictures have no hash and count as nothing', () => {
  expect(pictureHash(new Uint8Array(size * size).fill(16))).toBeUndefined();
  const black = new Uint8Array(5 * size * size);
  expect(comparePictures(black, black)).toEqual({ compared: 0, alike: 0, agrees: false });
});

test('two alike pictures are too few', () => {
  expect(comparePictures(film([1, 2, 30, 31]), film([1, 2, 40, 41])).agrees).toBe(false);
});
