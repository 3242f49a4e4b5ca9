/** The rows of an edge, and their number, read again when `version` changes. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Api, messageOf, type Page } from './api.js';

type Params = Readonly<Record<string, string>>;

export function useRows<Row>(
  api: Api,
  path: string,
  params: Params,
  version: string | number = '',
): { rows: readonly Row[] | undefined; fault: string; read: () => Promise<void> } {
  const { answer, fault, read } = useAnswer<Page<Row>>(api, path, params, version);
  return { rows: answer?.data, fault, read };
}

/** 0 until it is known. */
export function useTotal(api: Api, path: string, version: number): number {
  const { answer } = useAnswer<{ readonly summary?: { readonly total_count?: number } }>(api, path, TOTAL, version);
  return answer?.summary?.total_count ?? 0;
}

const TOTAL: Params = { summary: 'total_count', limit: '1' };

function useAnswer<Answer>(api: Api, path: string, params: Params, version: string | number) {
  const [answer, setAnswer] = useState<Answer>();
  const [fault, setFault] = useState('');
  const asked = useRef(0);
  const paramsJson = JSON.stringify(params);
  const read = useCallback(async (): Promise<void> => {
    const number = ++asked.current;
    // An answer that a later one has overtaken is not shown.
    const isLatest = (): boolean => number === asked.current;
    try {
      const found = await api.get<Answer>(path, JSON.parse(paramsJson));
      if (!isLatest()) return;
      setAnswer(found);
      setFault('');
    } catch (error) {
      if (isLatest()) setFault(messageOf(error));
    }
  }, [api, path, paramsJson]);
  useEffect(() => void read(), [read, version]);
  return { answer, fault, read };
}
