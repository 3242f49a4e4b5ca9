export type { PreviousKey } from '../lib/server-keys.js';
