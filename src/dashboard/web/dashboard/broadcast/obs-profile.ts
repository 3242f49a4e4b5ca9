/** Downloads the OBS profile of a broadcast, a zip that contains the stream key. */
import type { Api } from '../client/api.js';

/** Revoked at once, the address could end before the browser has read it. */
const REVOKE_MS = 10_000;

/** `profile`: as in `720p30`; without one the server chooses. */
export async function downloadObsProfile(api: Api, id: string, profile?: string): Promise<void> {
  const link = document.createElement('a');
  const file = await api.file(`/${id}/obs_profile`, profile === undefined ? {} : { profile });
  link.href = URL.createObjectURL(file);
  link.download = `Airlock-${id}.zip`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}
