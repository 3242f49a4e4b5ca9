/** Reads of error logs, for the writing process and for read-only ones. */
import type { RecordCounts, RecordPage, RecordQuery, RecordStore } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { isName } from '../shared/names.js';
import { isSeverity, planRecords, recordPageOf, recordProbeFrom } from '../shared/record-rules.js';
import { name } from './keys.js';
import { emptyHead, type RecordHead, RecordLog } from './record-log.js';
import type { Table, Tables } from './tables.js';

export class LmdbRecordReads implements Pick<RecordStore, 'page' | 'get' | 'counts'> {
  readonly rows: Table<unknown>;
  protected readonly tables: Tables;
  protected readonly records: Table<StoredRecord>;
  protected readonly heads: Table<RecordHead>;

  constructor(tables: Tables) {
    this.rows = tables.table<unknown>('records');
    this.tables = tables;
    this.records = tables.table<StoredRecord>('records');
    this.heads = tables.table<RecordHead>('heads');
  }

  async page(broadcastId: string, query: RecordQuery): Promise<RecordPage> {
    this.tables.refresh();
    const plan = planRecords(query);
    if (!isName(broadcastId) || (query.severity !== undefined && !isSeverity(query.severity))) {
      return recordPageOf(plan, [], false);
    }
    const log = this.open(broadcastId);
    const rows = log.walk(plan.walk, query);
    const first = rows[0];
    const place = first === undefined ? undefined : plan.walk.by === 'revision' ? first.revision : first.sequence;
    return recordPageOf(plan, rows, log.walk(recordProbeFrom(plan, place), query).length > 0);
  }

  async get(broadcastId: string, id: string): Promise<StoredRecord | undefined> {
    this.tables.refresh();
    return isName(broadcastId) && isName(id) ? this.open(broadcastId).byId(id) : undefined;
  }

  async counts(broadcastId: string): Promise<RecordCounts> {
    this.tables.refresh();
    const { total, open, uncounted, lastRevision } = isName(broadcastId) ? this.head(broadcastId) : emptyHead();
    return { total, open, uncounted, lastRevision };
  }

  protected open(broadcastId: string): RecordLog {
    return new RecordLog(this.rows, this.records, broadcastId, this.head(broadcastId));
  }

  protected head(broadcastId: string): RecordHead {
    return this.heads.get(name(broadcastId)) ?? emptyHead();
  }
}
