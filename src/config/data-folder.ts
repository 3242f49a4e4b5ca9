/** Files in the data folder that more than one module uses. */
import { join } from 'node:path';
import type { Config } from './settings/schema.js';

type DataFolder = Pick<Config, 'dataDir'>;

/** Objects created by the quickstart (mode 0600; contains a token). */
export const quickstartPath = (config: DataFolder): string => join(config.dataDir, 'quickstart.json');

/** The embedded store. */
export const storeFolder = (config: DataFolder): string => join(config.dataDir, 'store');

/** Socket on which commands reach the running server (mode 0600). */
export const adminSocketPath = (config: DataFolder): string => join(config.dataDir, 'admin.sock');

/** Socket on which the forward process takes broadcasts (mode 0600). */
export const forwardSocketPath = (config: DataFolder): string => join(config.dataDir, 'forward.sock');
