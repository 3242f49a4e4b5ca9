/** Takes a file and shows why it was refused. */
import { type JSX, useState } from 'react';
import { Fault } from '../ui/callout.js';
import { FILE_INPUT } from '../ui/classes.js';
import { messageOf } from './api.js';

export function FilePick(props: {
  label: string;
  accept: string;
  hint: string;
  take: (file: File) => Promise<void>;
}): JSX.Element {
  const [fault, setFault] = useState('');
  const onChange = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (file === undefined) return;
    setFault('');
    try {
      await props.take(file);
    } catch (error) {
      setFault(messageOf(error));
    }
    input.value = '';
  };
  return (
    <>
      <label className="flex flex-col gap-1 text-sm">
        {props.label}
        {props.hint === '' ? null : <small>{props.hint}</small>}
        <input
          className={FILE_INPUT}
          type="file"
          accept={props.accept}
          onChange={(event) => void onChange(event.currentTarget)}
        />
      </label>
      {fault === '' ? null : <Fault message={fault} />}
    </>
  );
}
