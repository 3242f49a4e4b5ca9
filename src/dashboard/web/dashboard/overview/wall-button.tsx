/** Opens the wall by a link of its own, which can be left on a screen: it shows what runs, and opens nothing else. */
import type { JSX } from 'react';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

export function WallButton(): JSX.Element {
  const { api } = useSession();
  const open = async (): Promise<void> => {
    const { path } = await api.post<{ readonly path: string }>('/dashboard/data/wall-links');
    window.open(path, '_blank', 'noopener');
  };
  return <ActionButton act={open}>Wall</ActionButton>;
}
