/** Names in the data folder that more than one module uses. */
import { join } from 'node:path';
import type { Config } from './schema.js';

type DataFolder = Pick<Config, 'dataDir'>;

/** What the quickstart made (0600; holds a token). */
export const quickstartPath = (config: DataFolder): string => join(config.dataDir, 'quickstart.json');

/** Where commands reach the running server (0600). */
export const adminSocketPath = (config: DataFolder): string => join(config.dataDir, 'admin.sock');
