/** A list that the server answers in pages, oldest last: the first is read at once, further ones on demand. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf } from './api.js';

export interface RowsOfPage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string | undefined;
}

export interface Paged<Row> {
  /** `undefined` before the first page. */
  readonly rows: readonly Row[] | undefined;
  readonly fault: string;
  readonly busy: boolean;
  /** Reads the next page; `undefined` on the last one. */
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
  /** Replaces rows after a change that the page made itself. */
  readonly change: (to: (row: Row) => Row) => void;
}

/** `read` must not change from one drawing to the next, except for another list. `explain`: what to show of an error. */
export function usePages<Row>(
  read: (after: string | undefined) => Promise<RowsOfPage<Row>>,
  explain: (error: unknown) => string = messageOf,
): Paged<Row> {
  const [rows, setRows] = useState<readonly Row[]>();
  const [next, setNext] = useState<string>();
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const explained = useRef(explain);
  explained.current = explain;
  const asked = useRef(0);
  const load = useCallback(
    async (after?: string): Promise<void> => {
      const number = ++asked.current;
      setFault('');
      setBusy(true);
      try {
        const page = await read(after);
        if (number !== asked.current) return;
        setRows((held) => [...(after === undefined ? [] : (held ?? [])), ...page.rows]);
        setNext(page.next);
      } catch (error) {
        if (number === asked.current) setFault(explained.current(error));
      }
      if (number === asked.current) setBusy(false);
    },
    [read],
  );
  useEffect(() => void load(), [load]);
  return {
    rows,
    fault,
    busy,
    more: next === undefined ? undefined : () => void load(next),
    reload: () => void load(),
    change: (to) => setRows((held) => held?.map(to)),
  };
}
