/** The ports between the pure core and the shell modules, the names in the store, and functions that work through a port. */

export type { PreviousKey } from '../lib/server-keys.js';
export * from './broadcasts.js';
export * from './copyright.js';
export * from './files.js';
export * from './forwards.js';
export * from './keys.js';
export * from './media-tap.js';
export * from './objects.js';
export * from './owners.js';
export * from './store.js';
export * from './system.js';
export * from './update.js';
