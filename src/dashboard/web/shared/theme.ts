/**
 * Light or dark theme: what the address says (`?theme=dark`), else what the user has switched to, else the system's setting. OBS
 * tells its docks nothing of its own theme, which is dark unless it was changed: in OBS, dark stands for the system's setting.
 */
import { Value } from './value.js';

export type Theme = 'light' | 'dark';

const KEY = 'airlock.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

export const theme = new Value<Theme>('light');

const IN_OBS = /\bOBS\//.test(window.navigator.userAgent);

function chosen(): Theme | undefined {
  const asked = new URLSearchParams(window.location.search).get('theme');
  if (asked === 'light' || asked === 'dark') return asked;
  const kept = window.localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : undefined;
}

function apply(): void {
  const now = chosen() ?? (system.matches || IN_OBS ? 'dark' : 'light');
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
