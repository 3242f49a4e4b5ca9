/** A drawing of the menu in OBS that imports a profile. */
import type { JSX } from 'react';

const MENUS = [
  ['File', 8],
  ['Edit', 44],
  ['View', 82],
  ['Docks', 124],
  ['Profile', 174],
  ['Scene Collection', 230],
] as const;
const ENTRIES = ['New', 'Duplicate', 'Rename', 'Remove', 'Import', 'Export'];
const ROW = 20;
const TOP = 30;

export function ObsMenu(): JSX.Element {
  return (
    <svg
      role="img"
      aria-label="In OBS, the menu Profile is open, and Import is selected"
      viewBox="0 0 340 156"
      className="my-2 w-full max-w-sm rounded-md border border-line bg-ground"
      fontSize="12"
      fill="currentColor"
    >
      <rect x="168" y="4" width="52" height="20" fill="currentColor" opacity="0.15" />
      {MENUS.map(([text, x]) => (
        <text key={text} x={x} y="18">
          {text}
        </text>
      ))}
      <rect
        x="168"
        y="24"
        width="120"
        height={ENTRIES.length * ROW + 8}
        fill="none"
        stroke="currentColor"
        opacity="0.4"
      />
      {ENTRIES.map((text, index) => (
        <g key={text}>
          {text === 'Import' ? (
            <rect x="169" y={TOP + index * ROW - 2} width="118" height={ROW} fill="currentColor" opacity="0.25" />
          ) : null}
          <text x="180" y={TOP + index * ROW + 12} fontWeight={text === 'Import' ? 700 : 400}>
            {text}
          </text>
        </g>
      ))}
    </svg>
  );
}
