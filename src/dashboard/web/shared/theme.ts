/** Light or dark theme: the system's setting, unless the user has switched. */
import { Value } from './value.js';

export type Theme = 'light' | 'dark';

const KEY = 'airlock.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

export const theme = new Value<Theme>('light');

function chosen(): Theme | undefined {
  const kept = window.localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : undefined;
}

function apply(): void {
  const now = chosen() ?? (system.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = now;
  theme.set(now);
}

export function startTheme(): void {
  system.addEventListener('change', apply);
  apply();
}

export function switchTheme(): void {
  window.localStorage.setItem(KEY, theme.get() === 'dark' ? 'light' : 'dark');
  apply();
}
