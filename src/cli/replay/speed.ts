import { InvalidArgumentError } from 'commander';

/** Value of `--speed`: media seconds a second; infinite for `max`. */
export function speed(value: string): number {
  if (value === 'max') return Number.POSITIVE_INFINITY;
  const number = Number(value);
  if (!(number > 0 && number <= 1000))
    throw new InvalidArgumentError('It must be a number above 0, up to 1000, or max.');
  return number;
}
