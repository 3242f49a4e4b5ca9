/** `<data folder>/quickstart.json`: the objects created by the quickstart and the ports in use (mode 0600; contains a token). */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { quickstartPath } from './data-folder.js';
import type { Config } from './settings/schema.js';

const quickstartFile = z.looseObject({
  page_id: z.string(),
  access_token: z.string(),
  live_video_id: z.string(),
  stream_url_base: z.string(),
  stream_key: z.string(),
  secure_stream_url: z.string(),
  http_url: z.string(),
  dashboard_url: z.string(),
  /** Works once, within 15 minutes of the start. */
  sign_in_url: z.string().optional(),
  dock_url: z.string().optional(),
  rtmps_port: z.number(),
  http_port: z.number(),
});

export type Quickstart = z.output<typeof quickstartFile>;

/** Undefined without quickstart. @throws Error when the file has another format */
export function readQuickstart(config: Pick<Config, 'dataDir' | 'quickstart'>): Quickstart | undefined {
  const path = quickstartPath(config);
  if (!config.quickstart || !existsSync(path)) return undefined;
  const parsed = quickstartFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path} is not a quickstart file: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
