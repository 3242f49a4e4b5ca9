import type { Cage } from '../../src/probe/cage/cage.js';
import { openCage } from '../../src/probe/cage/open-cage.js';

/** The strong sandbox; fails where bubblewrap does not run. */
export async function strongCage(folder: string): Promise<Cage> {
  return (await openCage('require', folder)).cage;
}
