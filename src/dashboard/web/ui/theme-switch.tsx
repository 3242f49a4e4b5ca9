/** The button that switches between the light and the dark theme. */
import { Moon, Sun } from 'lucide-react';
import type { JSX } from 'react';
import { switchTheme, theme } from '../shared/theme.js';
import { useValue } from '../shared/value.js';
import { Button } from './button.js';

export function ThemeSwitch(): JSX.Element {
  const now = useValue(theme);
  const Icon = now === 'dark' ? Sun : Moon;
  return (
    <Button onClick={switchTheme} aria-label={`Switch to ${now === 'dark' ? 'light' : 'dark'} theme`}>
      <Icon size={14} className="my-[3px]" aria-hidden="true" />
    </Button>
  );
}
