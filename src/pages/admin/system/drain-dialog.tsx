import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { errorOf, readWhole, type ApiFailure } from '../../data/index.js';
import { CheckField, Confirm, TextField, useKit } from '../../kit/index.js';
import { useAdmin } from '../admin.js';

const MAX_GRACE_S = 3_600;

/** Takes the gateway out of service. */
export function DrainDialog(props: { readonly onDone: () => void; readonly onClose: () => void }): VNode {
  const { api } = useAdmin();
  const { notify } = useKit();
  const [grace, setGrace] = useState('30');
  const [stops, setStops] = useState(false);
  const read = readWhole(grace, { min: 0, max: MAX_GRACE_S });
  const drain = async (): Promise<ApiFailure | undefined> => {
    if ('error' in read) return { status: 0, code: 'invalid_value', message: read.error };
    const answer = await api.drain(read.value ?? 0, stops);
    if (!answer.ok) return answer.failure;
    notify(stops ? 'The gateway drains, and then ends.' : 'The gateway drains.');
    props.onDone();
    return undefined;
  };
  return (
    <Confirm title="Drain the gateway?" action="Drain" isDanger onConfirm={drain} onClose={props.onClose}>
      <p>No more requests of clients are taken: they get 503. What is under way may end.</p>
      <TextField
        label="Seconds for requests under way"
        inputMode="numeric"
        value={grace}
        error={errorOf(read)}
        hint="After that they are cut off."
        onInput={setGrace}
      />
      <CheckField
        label="And end the process then"
        hint="As SIGTERM does. This page goes with it; a service manager may start the gateway again."
        isChecked={stops}
        onChange={setStops}
      />
    </Confirm>
  );
}
