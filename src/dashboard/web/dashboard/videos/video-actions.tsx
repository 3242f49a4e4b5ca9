/** Rename, download and delete a video. */
import { Download, Pencil, Trash2 } from 'lucide-react';
import { type JSX, useState } from 'react';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { buttonClass } from '../../ui/classes.js';
import { FormDialog } from '../../ui/dialog.js';
import { messageOf } from '../client/api.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { TitleField } from './title-field.js';

interface NamedVideo {
  readonly id: string;
  readonly title?: string;
  readonly source?: string;
}

export function VideoActions({ video, onRenamed }: { video: NamedVideo; onRenamed: () => Promise<void> }): JSX.Element {
  const { api } = useSession();
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      <Rename video={video} onRenamed={onRenamed} />
      {video.source === undefined ? null : (
        <a className={buttonClass()} href={video.source} download={`${fileName(video.title ?? video.id)}.mp4`}>
          <Download size={14} aria-hidden="true" /> Download
        </a>
      )}
      <ActionButton
        kind="danger"
        confirm={{
          question: `Delete “${video.title ?? 'Untitled'}”?`,
          detail: 'The video, its captions, thumbnails, comments and error log are removed for good.',
          yes: 'Delete video',
          no: 'Keep video',
        }}
        act={() => api.delete(`/${video.id}`)}
        onDone={() => {
          window.location.hash = linkTo.videos;
        }}
      >
        <Trash2 size={14} aria-hidden="true" /> Delete
      </ActionButton>
    </div>
  );
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N} ._-]+/gu, '_').slice(0, 100);
}

function Rename({ video, onRenamed }: { video: NamedVideo; onRenamed: () => Promise<void> }): JSX.Element {
  const { api } = useSession();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [title, setTitle] = useState('');
  const [fault, setFault] = useState('');
  const save = async (): Promise<void> => {
    setBusy(true);
    setFault('');
    try {
      await api.post(`/${video.id}`, { title: title.trim() });
      await onRenamed();
      setOpen(false);
    } catch (error) {
      setFault(messageOf(error));
    }
    setBusy(false);
  };
  const begin = (): void => {
    setTitle(video.title ?? '');
    setFault('');
    setOpen(true);
  };
  return (
    <>
      <Button onClick={begin}>
        <Pencil size={14} aria-hidden="true" /> Rename
      </Button>
      <FormDialog
        title="Rename the video"
        yes="Save"
        open={open}
        busy={busy}
        onClose={() => setOpen(false)}
        onSubmit={() => void save()}
      >
        <TitleField value={title} onChange={setTitle} />
        {fault === '' ? null : <Fault message={fault} />}
      </FormDialog>
    </>
  );
}
