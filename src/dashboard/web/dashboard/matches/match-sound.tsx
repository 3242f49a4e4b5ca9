/** One of the two sounds of a match, fetched when it is asked for: the token is sent in a header, which `src` cannot do. */
import { type JSX, useEffect, useState } from 'react';
import { Button } from '../../ui/button.js';
import { messageOf } from '../client/api.js';
import { useSession } from '../client/session.js';

export function MatchSound({ path, title, detail }: { path: string; title: string; detail: string }): JSX.Element {
  const { api } = useSession();
  const [url, setUrl] = useState<string>();
  const [note, setNote] = useState('');
  useEffect(() => (url === undefined ? undefined : () => URL.revokeObjectURL(url)), [url]);
  const load = async (): Promise<void> => {
    if (note === 'Loading') return;
    setNote('Loading');
    try {
      setUrl(URL.createObjectURL(await api.file(path, {})));
      setNote('');
    } catch (error) {
      setNote(messageOf(error));
    }
  };
  return (
    <section aria-label={title}>
      <h3 className="text-sm font-semibold">{title}</h3>
      <small className="mb-1.5 block">{detail}</small>
      {url === undefined ? (
        <Button onClick={() => void load()} aria-disabled={note === 'Loading'}>
          Listen
        </Button>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: a few seconds of sound to be compared by ear
        <audio className="w-full" controls autoPlay src={url} aria-label={title} />
      )}
      {note === '' ? null : (
        <p className="mt-1 text-sm text-muted" role="status">
          {note}
        </p>
      )}
    </section>
  );
}
