/** Parts that administration actions work on. */
import type { Broadcasts, Clock, ForwardSettings, IdSource, Log, OwnerQuota, Store } from '../../ports/index.js';
import type { AdminInput } from './input.js';
import type { ReportDeps } from './report-sources.js';

export interface AdminContext extends Pick<ReportDeps, 'history'> {
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

export type AdminActions = Readonly<Record<string, AdminAction>>;
