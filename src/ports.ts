/** What the pure core and the shell modules ask of each other. Interfaces only; `app.ts` joins them. */
export * from './ports/broadcasts.js';
export * from './ports/files.js';
export * from './ports/objects.js';
export * from './ports/owner-quota.js';
export * from './ports/store.js';
export * from './ports/system.js';
