/** Marks along time, in as many rows as they need: pressed, they move the recording. */
import { type JSX, type RefObject, useEffect, useRef, useState } from 'react';
import { opacityOf } from '../../shared/broken-time.js';
import type { Bar } from '../../shared/lanes.js';
import { MARK_PX, type Placed, placeMarks, rowsOf, type Span } from '../../shared/mark-rows.js';
import { classes } from '../../ui/classes.js';

export type Mark = Pick<Bar, 'id' | 'kind' | 'fromMs' | 'toMs' | 'label' | 'share'>;

const COLORS: Readonly<Record<Mark['kind'], string>> = {
  error: 'bg-fail',
  warning: 'bg-warn',
  change: 'bg-accent',
  gap: 'bg-[repeating-linear-gradient(135deg,var(--muted)_0_2px,transparent_2px_6px)] border border-muted',
};

const ROW_PX = MARK_PX + 2;
/** Before it is measured. */
const FIRST_WIDTH_PX = 600;

/** Action of a press on a mark. `others`: how many marks have no room of their own beside it. */
export type Press<Each> = (
  mark: Each,
  others: string,
) => { readonly name: string; readonly act: () => void } | undefined;

/** `press` is absent where nothing can be pressed. */
export function Marks<Each extends Mark>(props: {
  label: string;
  className?: string;
  marks: readonly Each[];
  shown: Span;
  press?: Press<Each> | undefined;
}): JSX.Element {
  const { label, className = 'bg-ground', marks, shown, press } = props;
  const list = useRef<HTMLUListElement>(null);
  const places = placeMarks(marks, shown, useWidth(list));
  return (
    <ul
      ref={list}
      aria-label={label}
      className={classes('relative min-w-0 flex-1 rounded-xs', className)}
      style={{ height: rowsOf(places) * ROW_PX }}
    >
      {places.map((place) => (
        <Item
          key={place.marks[0].id}
          place={place}
          press={press?.(place.marks[0], place.marks.length === 1 ? '' : `, and ${place.marks.length - 1} more`)}
        />
      ))}
    </ul>
  );
}

const WORST_FIRST: readonly Mark['kind'][] = ['error', 'warning', 'change', 'gap'];

function Item(props: { place: Placed<Mark>; press: ReturnType<Press<Mark>> }): JSX.Element {
  const { place, press } = props;
  const { marks, row, left, width } = place;
  const kind = WORST_FIRST.find((each) => marks.some((mark) => mark.kind === each)) ?? 'error';
  const title = marks.map((mark) => mark.label).join('\n');
  const look = classes('grid size-full place-items-center rounded-xs text-xs font-semibold text-card', COLORS[kind]);
  const opacity = marks.length === 1 ? opacityOf(marks[0].share) : 1;
  return (
    <li className="absolute" style={{ left, width, top: row * ROW_PX + 1, height: MARK_PX, opacity }}>
      {press === undefined ? (
        <span title={title} className={look}>
          <span className="sr-only">{title}</span>
          {marks.length === 1 ? null : <span aria-hidden="true">{marks.length}</span>}
        </span>
      ) : (
        <button type="button" title={title} aria-label={press.name} onClick={press.act} className={look}>
          {marks.length === 1 ? null : <span aria-hidden="true">{marks.length}</span>}
        </button>
      )}
    </li>
  );
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(FIRST_WIDTH_PX);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(MARK_PX, current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
