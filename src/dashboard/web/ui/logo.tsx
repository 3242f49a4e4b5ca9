/** The mark of Airlock: a door that closes behind the stream. */
import type { JSX } from 'react';

export function Logo({ size = 24 }: { size?: number }): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect x="2" y="2" width="28" height="28" rx="8" className="fill-accent" />
      <path d="M9 16a7 7 0 0 1 14 0v7h-4v-7a3 3 0 0 0-6 0v7H9z" className="fill-on-accent" />
      <circle cx="16" cy="19.5" r="1.75" className="fill-on-accent" />
    </svg>
  );
}
