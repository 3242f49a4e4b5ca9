/** The free disk space to keep. Free of the schema library, which a role process does not load. */
import type { DiskReserve } from '../../ports/index.js';

const UNITS = { MB: 1e6, GB: 1e9, TB: 1e12, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 } as const;

const isUnit = (unit: string): unit is keyof typeof UNITS => Object.hasOwn(UNITS, unit);

/** A percentage of the disk (`10%`, from 1 to 90) or a size (`20GB`, `512MiB`, at least 100 MB); undefined for other text. */
export function parseDiskReserve(text: string): DiskReserve | undefined {
  const written = text.trim();
  const [, digits, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(%|[A-Za-z]+)$/.exec(written) ?? [];
  const number = Number(digits);
  if (unit === '%' && number >= 1 && number <= 90) {
    return Object.freeze({ text: `${number}%`, bytesOf: (diskBytes: number) => (diskBytes * number) / 100 });
  }
  const name = unit.toUpperCase();
  const bytes = isUnit(name) ? number * UNITS[name] : 0;
  return bytes >= 100e6 ? Object.freeze({ text: written, bytesOf: () => bytes }) : undefined;
}
