/** From raw parameters to typed ones, or error 100 naming the parameter. */
import type { z } from 'zod';
import { parameterError } from '../../spec/service-errors.js';
import type { RawParams } from './raw.js';

/** @throws ServiceError code 100 that names the first parameter at fault */
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
