/** Audit lines of deletions, ends of broadcasts and changes of rights over HTTP. */
import type { StoredObject, Write } from '../../../ports/index.js';
import { auditWrite } from '../../access/audit.js';
import type { Call } from '../../graph/call.js';

export type Change =
  | 'add'
  | 'change'
  | 'cross-posting of'
  | 'delete'
  | 'dispute'
  | 'encoder settings of'
  | 'end'
  | 'pair'
  | 'privacy of'
  | 'profile of'
  | 'put on air'
  | 'stream key of';

/** For the transaction of the change itself, so that neither is stored without the other. */
export function changeLine(call: Call, change: Change, target: StoredObject): Write {
  const { ownerId } = Object(target.data) as { ownerId?: unknown };
  return auditWrite(call.services, {
    action: [change, target.kind, ...call.segments.slice(1, 2)].join(' '),
    who: call.viewer?.tokenId ?? 'server',
    from: call.address,
    target: target.id,
    owner: typeof ownerId === 'string' ? ownerId : undefined,
  });
}
