/** The card of a broadcast with two input streams. */
import type { JSX } from 'react';
import type { InputSeen } from '../../shared/inputs.js';
import { Card } from '../../ui/card.js';
import { InputPair } from '../../ui/input-pair.js';
import { messageOf } from '../client/api.js';
import { useSession } from '../client/session.js';

export function Inputs({ inputs }: { inputs: readonly InputSeen[] | undefined }): JSX.Element | null {
  const { api } = useSession();
  if (inputs === undefined) return null;
  return (
    <Card title="Two encoders" folds>
      <InputPair inputs={inputs} putOnAir={(id) => api.post(`/${id}`, { on_air: 'true' })} messageOf={messageOf} />
    </Card>
  );
}
