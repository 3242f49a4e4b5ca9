/** The rows of an edge, read again when `version` changes. */
import { useCallback, useEffect, useState } from 'react';
import { type Api, messageOf, type Page } from './api.js';

export function useRows<Row>(
  api: Api,
  path: string,
  params: Readonly<Record<string, string>>,
  version = '',
): { rows: readonly Row[] | undefined; fault: string; read: () => Promise<void> } {
  const [rows, setRows] = useState<readonly Row[]>();
  const [fault, setFault] = useState('');
  const paramsJson = JSON.stringify(params);
  const read = useCallback(async (): Promise<void> => {
    try {
      setRows((await api.get<Page<Row>>(path, JSON.parse(paramsJson))).data);
      setFault('');
    } catch (error) {
      setFault(messageOf(error));
    }
  }, [api, path, paramsJson]);
  useEffect(() => void read(), [read, version]);
  return { rows, fault, read };
}
