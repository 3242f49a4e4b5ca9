/** Every script of this folder, for loading ahead of its first use. */
import { BATCH_READ, EDGE_PAGE } from './batch-read.js';
import * as commit from './commit.js';
import * as lease from './lease.js';
import * as records from './records.js';
import type { Script } from './script.js';
import * as volatile from './volatile.js';

export const ALL_SCRIPTS: readonly Script[] = [
  BATCH_READ,
  EDGE_PAGE,
  ...Object.values(commit),
  ...Object.values(lease),
  ...Object.values(records),
  ...Object.values(volatile),
];
