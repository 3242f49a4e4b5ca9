/** Places marks along time in rows, so that each can be pressed and none covers another. Pure. */

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One mark, or several that have no room of their own. */
export interface Placed<Mark extends Span> {
  readonly marks: readonly [Mark, ...Mark[]];
  readonly row: number;
  /** Pixels from the start. */
  readonly left: number;
  readonly width: number;
}

/** The least size of what is pressed: WCAG 2.5.8. */
export const MARK_PX = 24;
const GAP_PX = 2;
/** More rows would push the charts away. */
const ROWS_MAX = 3;

interface Place<Mark> {
  marks: [Mark, ...Mark[]];
  row: number;
  left: number;
  right: number;
}

/** Those outside of `shown` are left out. Earlier ones come first; where all rows are taken, a mark joins the last one of a row. */
export function placeMarks<Mark extends Span>(
  marks: readonly Mark[],
  shown: Span,
  widthPx: number,
): readonly Placed<Mark>[] {
  const px = (ms: number): number =>
    (widthPx * (Math.min(shown.toMs, Math.max(shown.fromMs, ms)) - shown.fromMs)) / (shown.toMs - shown.fromMs);
  const inside = marks.filter(({ fromMs, toMs }) => toMs >= shown.fromMs && fromMs <= shown.toMs);
  const lasts: Place<Mark>[] = [];
  const places: Place<Mark>[] = [];
  for (const mark of [...inside].sort((a, b) => a.fromMs - b.fromMs || b.toMs - a.toMs)) {
    const start = px(mark.fromMs);
    const right = Math.min(widthPx, Math.max(px(mark.toMs), start + MARK_PX));
    const left = Math.max(0, Math.min(start, right - MARK_PX));
    const free = lasts.findIndex((last) => last.right + GAP_PX <= left);
    const row = free >= 0 ? free : lasts.length;
    if (row < ROWS_MAX) {
      const place: Place<Mark> = { marks: [mark], row, left, right };
      lasts[row] = place;
      places.push(place);
      continue;
    }
    const [nearest] = [...lasts].sort((a, b) => a.right - b.right);
    if (nearest === undefined) continue;
    nearest.marks.push(mark);
    nearest.right = Math.max(nearest.right, right);
  }
  return places.map(({ marks: members, row, left, right }) => ({ marks: members, row, left, width: right - left }));
}

export const rowsOf = (places: readonly Placed<Span>[]): number => 1 + Math.max(0, ...places.map(({ row }) => row));
