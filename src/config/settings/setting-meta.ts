/** Facts of a setting for documentation, flags and the masked listing. */
import { z } from 'zod';

export interface SettingMeta {
  /** Environment variable. */
  readonly env: string;
  /** One line for the table and for `--help`. */
  readonly summary: string;
  /** The default, as documentation shows it. */
  readonly shown: string;
  /** Placeholder of the value in `--help`: `PORT`, `on|off`. */
  readonly placeholder: string;
  /** `whole`: never printed. `url`: printed without password and query values. */
  readonly secret?: 'whole' | 'url';
}

/** Placeholder of a switch. */
export const ON_OFF = 'on|off';

export const settingMeta = z.registry<SettingMeta>();
