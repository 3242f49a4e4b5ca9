/** The rows of an edge, and their number, read again when `version` changes. */
import type { Api, Page } from './api.js';
import { useAnswer } from './queries.js';

type Params = Readonly<Record<string, string>>;

export function useRows<Row>(
  api: Api,
  path: string,
  params: Params,
  version: string | number = '',
): { rows: readonly Row[] | undefined; fault: string; read: () => Promise<void> } {
  const { answer, fault, read } = useAnswer<Page<Row>>(api, path, params, { version });
  return { rows: answer?.data, fault, read };
}

/** 0 until it is known. */
export function useTotal(api: Api, path: string, version: number): number {
  const { answer } = useAnswer<{ readonly summary?: { readonly total_count?: number } }>(api, path, TOTAL, { version });
  return answer?.summary?.total_count ?? 0;
}

const TOTAL: Params = { summary: 'total_count', limit: '1' };
