/** Parsers of option values of `replay`. */
import { InvalidArgumentError } from 'commander';

/** Value of `--speed`: media seconds per second; infinite for `max`. */
export function speed(value: string): number {
  if (value === 'max') return Number.POSITIVE_INFINITY;
  const number = Number(value);
  if (!(number > 0 && number <= 1000))
    throw new InvalidArgumentError('It must be a number above 0, up to 1000, or max.');
  return number;
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function seconds(value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return number;
}

export function whole(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}
