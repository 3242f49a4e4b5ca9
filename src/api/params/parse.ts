/** Validates raw parameters. */
import type { z } from 'zod';
import { parameterError } from '../../spec/service-errors.js';
import type { RawParams } from './raw.js';

/** @throws ServiceError 100 that names the first invalid parameter */
export function parseParams<S extends z.ZodType>(schema: S, raw: RawParams): z.output<S> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const [first, ...rest] = issue?.path ?? [];
  const name = `${String(first)}${rest.map((part) => `[${String(part)}]`).join('')}`;
  if (rest.length === 0 && typeof first === 'string' && raw[first] === undefined) {
    throw parameterError(`The parameter ${name} is required`);
  }
  throw parameterError(`Param ${name} must be ${issue?.message ?? 'valid'}`);
}
