/** Parts that administration actions work on, and how they read their input. */
import type { ListenerPorts } from '../../config/listeners.js';
import type { Broadcasts, Clock, ForwardSettings, IdSource, Log, OwnerQuota, Store } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { ReportDeps } from './report-sources.js';

export type AdminInput = Readonly<Record<string, unknown>>;

/** @throws ServiceError 100 */
export function text(input: AdminInput, name: string): string {
  const value = optionalText(input, name);
  if (value === undefined) throw parameterError(`The parameter ${name} is required`);
  return value;
}

/** @throws ServiceError 100 */
export function optionalText(input: AdminInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw parameterError(`Param ${name} must be a text`);
  return value;
}

/** @throws ServiceError 100 */
export function optionalNumber(input: AdminInput, name: string): number | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw parameterError(`Param ${name} must be a number, not below 0`);
  return value;
}

/** Absent: none. @throws ServiceError 100 */
export function textList(input: AdminInput, name: string): readonly string[] {
  const value = input[name] ?? [];
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw parameterError(`Param ${name} must be a list of texts`);
  return value.map(String);
}

export interface AdminContext extends Pick<ReportDeps, 'blobs' | 'history'> {
  readonly store: Store;
  readonly broadcasts: Broadcasts;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly quota: OwnerQuota;
  readonly log: Log;
  readonly publicHttpUrl: string;
  /** Absent: forwards cannot be added. */
  readonly forwards?: ForwardSettings;
  /** Resolves when the store has the records that the encoder was sent. Without: what is stored. */
  readonly recordsStored?: (liveVideoId: string) => Promise<unknown> | undefined;
}

/** Input and output are JSON. @throws ServiceError for refused input */
export type AdminAction = (input: AdminInput) => Promise<unknown>;

/** The answer of `server.setup`: where the running server listens and keeps its files. */
export interface ServerSetup {
  readonly host: string;
  readonly dataDir: string;
  readonly certsDir: string;
  readonly ports: ListenerPorts;
}

export type AdminActions = Readonly<Record<string, AdminAction>>;
