/** Whether the encoder uses the settings that the server gave it. */
import type { BroadcastView } from '../../view/protocol.js';
import { clockTime } from './format.js';

export function setupSentence({ configured, time }: NonNullable<BroadcastView['encoder_setup']>): string {
  return configured
    ? `Set up by Airlock at ${clockTime(Date.parse(time))}`
    : 'Not set up by Airlock: Settings > Stream was changed in OBS';
}
