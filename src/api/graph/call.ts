/** One call of the graph, single or part of a batch. */

import type { ReceivedFile } from '../../ports/index.js';
import type { GraphMethod } from '../../spec/graph.js';
import type { Access } from '../access/access.js';
import { tokenRequired } from '../access/faults.js';
import type { Refusals } from '../access/refusals.js';
import type { TokenReader } from '../access/tokens.js';
import type { ApiDeps } from '../context/config.js';
import type { Loader } from '../context/loader.js';
import type { Viewer } from '../context/viewer.js';
import type { RawParams } from '../params/raw.js';
import type { KeptLists } from './kept-lists.js';
import type { LoopTurns } from './turns.js';
import type { CallWork } from './work.js';

export interface FilePart {
  readonly field: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

export interface CallToken {
  readonly value: string;
  readonly carrier: 'query' | 'body' | 'header';
}

export interface Services extends ApiDeps {
  readonly tokens: TokenReader;
  readonly refusals: Refusals;
  readonly turns: LoopTurns;
  readonly lists: KeptLists;
}

/**
 * Has functions instead of getters: of each literal with getters V8 makes a hidden class in the old generation, which holds them.
 * The request and its response would then outlive the call until the next full collection.
 */
export interface Call {
  readonly services: Services;
  readonly method: GraphMethod;
  /** Decoded path segments, without the version. */
  readonly segments: readonly string[];
  readonly params: RawParams;
  readonly files: ReadonlyMap<string, FilePart>;
  /** Video files, streamed to disk while the request was read; discarded after the response. */
  readonly received: ReadonlyMap<string, ReceivedFile>;
  readonly token: CallToken | undefined;
  /** Address of the client; behind a trusted proxy, the forwarded one. */
  readonly address: string | undefined;
  readonly viewer: Viewer | undefined;
  readonly access: Access;
  readonly loader: Loader;
  /** Scheme, host and port that the client used, without a trailing slash. */
  readonly originOf: () => string;
  /** `v24.0` */
  readonly version: string;
  readonly nowMs: number;
  /** Bounds the rows and bytes of the call. */
  readonly work: CallWork;
  readonly trace: string;
  /** Counts additional calls against the rate limits. @throws ServiceError 4, 17 or 32 */
  readonly countCalls: ((calls: number, call: Call) => Promise<void>) | undefined;
  /** Aborts when the client disconnects. */
  readonly signalOf: () => AbortSignal;
}

export interface Answer {
  /** 200 when absent. */
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of `body` to a single request; a batch gets `body`. */
  readonly file?: { readonly bytes: Uint8Array; readonly type: string; readonly name: string };
  /** Sent instead of `body`: a stream of events that ends when the client disconnects. */
  readonly events?: AsyncIterable<string>;
}

/** The viewer of a call with a node, which only a token resolves. @throws ServiceError 104 */
export function viewerOf({ viewer }: Call): Viewer {
  if (viewer === undefined) throw tokenRequired();
  return viewer;
}

export const SUCCESS: Answer = { body: { success: true } };
