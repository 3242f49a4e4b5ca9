/** The table of settings in docs/settings.md. */
import { SETTINGS } from '../../src/config/settings/schema.js';

export function settingsTable(): string {
  const rows = SETTINGS.map(
    (setting) =>
      `| \`${setting.env}\` | \`--${setting.flag}\` | \`${setting.key}\` | ${cell(setting.shown)} | ${cell(setting.summary)} |`,
  );
  return ['| Environment | Flag | Config key | Default | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll(/[|<]/g, '\\$&');
}
