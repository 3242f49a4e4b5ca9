/** Serializes errors between the processes: a kind and its fields, restored as the same class. */
import { codeOf } from '../../lib/errors.js';
import { ConflictError, StoreUnavailableError } from '../../ports/index.js';
import { StoreGapError } from '../shared/record-rules.js';

export type Fault =
  | { readonly kind: 'conflict'; readonly id: string }
  | { readonly kind: 'gap'; readonly broadcastId: string; readonly fence: number; readonly applied: number }
  | { readonly kind: 'away' | 'range'; readonly message: string }
  | { readonly kind: 'other'; readonly message: string; readonly code: string };

export function faultOf(error: unknown): Fault {
  if (error instanceof ConflictError) return { kind: 'conflict', id: error.id };
  if (error instanceof StoreGapError) {
    const { broadcastId, fence, applied } = error;
    return { kind: 'gap', broadcastId, fence, applied };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreUnavailableError) return { kind: 'away', message };
  if (error instanceof RangeError) return { kind: 'range', message };
  return { kind: 'other', message, code: codeOf(error) };
}

export function errorOf(fault: Fault): Error {
  switch (fault.kind) {
    case 'conflict':
      return new ConflictError(fault.id);
    case 'gap':
      return new StoreGapError(fault.broadcastId, fault.fence, fault.applied);
    case 'away':
      return new StoreUnavailableError(fault.message);
    case 'range':
      return new RangeError(fault.message);
    default:
      return Object.assign(new Error(fault.message), { code: fault.code });
  }
}
