/** A select whose values are known to the type checker. */
import type { JSX } from 'react';
import { FIELD } from './classes.js';

export function Select<Value extends string>(props: {
  label: string;
  value: Value;
  titles: Readonly<Record<Value, string>>;
  onChange: (value: Value) => void;
}): JSX.Element {
  const { label, value, titles, onChange } = props;
  const values = Object.keys(titles) as Value[];
  return (
    <select
      className={FIELD}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(values.find((each) => each === event.currentTarget.value) ?? value)}
    >
      {values.map((each) => (
        <option key={each} value={each}>
          {titles[each]}
        </option>
      ))}
    </select>
  );
}
