/** A file from this machine becomes a video: chosen or dropped, with its progress, stopped and taken up again. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { UPLOAD } from '../../../spec/upload.js';
import type { OwnerView } from '../../protocol.js';
import { bytes } from '../shared/format.js';
import { faultWords } from './api.js';
import { linkTo } from './route.js';
import { useSession } from './session.js';
import { Fault } from './ui.js';
import { type UploadProgress, uploadVideo } from './upload.js';

const ACCEPTED = ['video/*', ...UPLOAD.containers.map((name) => `.${name}`)].join(',');

export function UploadCard({ owners }: { owners: readonly OwnerView[] }): JSX.Element | null {
  const { api } = useSession();
  const targets = owners
    .filter(({ kind }) => kind !== 'user')
    .sort((a, b) => Number(a.kind === 'group') - Number(b.kind === 'group'));
  const [chosen, setOwner] = useState<string>();
  const [file, setFile] = useState<File>();
  const [title, setTitle] = useState('');
  const [over, setOver] = useState(false);
  const [progress, setProgress] = useState<UploadProgress>();
  const [fault, setFault] = useState('');
  const running = useRef<AbortController | undefined>(undefined);
  const owner = targets.find(({ id }) => id === chosen) ?? targets[0];
  if (owner === undefined) return null;

  const take = (given: File | null | undefined): void => {
    if (given === null || given === undefined) return;
    setFile(given);
    setTitle(given.name.replace(/\.[^.]*$/, ''));
    setFault('');
  };
  const upload = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (file === undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setFault('');
    setProgress({ sent: 0, size: file.size, waiting: false });
    try {
      const id = await uploadVideo(api, owner.id, file, title.trim(), controller.signal, setProgress);
      window.location.hash = linkTo.video(id);
    } catch (error) {
      setProgress(undefined);
      if (!controller.signal.aborted) setFault(faultWords(error));
    }
  };

  return (
    <form class="card upload" onSubmit={upload}>
      <h2>Upload a video</h2>
      <label
        class={over ? 'drop drop-over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (progress === undefined) take(event.dataTransfer?.files[0]);
        }}
      >
        <span>{file === undefined ? 'Choose a file, or drop it here' : `${file.name}, ${bytes(file.size)}`}</span>
        <input
          type="file"
          accept={ACCEPTED}
          disabled={progress !== undefined}
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </label>
      {file === undefined ? null : (
        <div class="upload-fields">
          <label>
            Owner
            <select
              value={owner.id}
              disabled={progress !== undefined}
              onChange={(event) => setOwner(event.currentTarget.value)}
            >
              {targets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Title
            <input
              value={title}
              maxLength={254}
              required
              disabled={progress !== undefined}
              onInput={(event) => setTitle(event.currentTarget.value)}
            />
          </label>
          {progress === undefined ? (
            <button type="submit" class="button button-main">
              Upload
            </button>
          ) : (
            <button type="button" class="button" onClick={() => running.current?.abort()}>
              Stop
            </button>
          )}
        </div>
      )}
      {progress === undefined ? null : <Progress {...progress} />}
      {fault === '' ? null : <Fault words={`${fault} Press Upload to go on where it stopped.`} />}
    </form>
  );
}

function Progress({ sent, size, waiting }: UploadProgress): JSX.Element {
  const done = sent >= size;
  return (
    <div class="progress">
      <progress max={size} value={sent} aria-label="Upload" />
      <span class="quiet" role="status">
        {waiting
          ? 'The connection was lost. Waiting for it to come back.'
          : done
            ? 'All has arrived. Finishing.'
            : `${bytes(sent)} of ${bytes(size)}`}
      </span>
    </div>
  );
}
