import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { errorOf, type ApiFailure } from '../../data/index.js';
import { ActionButton, CheckField, Choice, FailureNote, SubmitOnEnter, TextField } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { NewScan, Scan } from '../api/runtime-answers.js';
import { readPorts } from './read-ports.js';

const PLACES = [
  ['machine', 'This machine'],
  ['range', 'A range'],
] as const;
/** Limits of the timeout per server, in seconds. */
const [MIN_S, MAX_S] = [0.1, 60];

/** The form of a scan. */
export function ScanForm(props: {
  readonly wellKnown: readonly number[];
  /** Whether a scan is running. Only one runs at a time. */
  readonly isRunning: boolean;
  readonly onStarted: (scan: Scan) => void;
}): VNode {
  const { api } = useAdmin();
  const [place, setPlace] = useState<'machine' | 'range'>('machine');
  const [range, setRange] = useState('');
  const [portsText, setPortsText] = useState('');
  const [seconds, setSeconds] = useState('');
  const [isPublic, setPublic] = useState(false);
  const [isTried, setTried] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const ports = readPorts(portsText);
  const timeoutS = Number(seconds.replace(',', '.'));
  const errors = {
    range: place === 'range' && range.trim() === '' ? 'An address or a range, such as 192.168.1.0/24.' : undefined,
    ports: errorOf(ports),
    seconds:
      seconds === '' || (timeoutS >= MIN_S && timeoutS <= MAX_S) ? undefined : `A number from ${MIN_S} to ${MAX_S}.`,
  };
  const start = async (): Promise<void> => {
    setTried(true);
    setFailure(undefined);
    if ('error' in ports || errors.range !== undefined || errors.seconds !== undefined) return;
    const scan: NewScan = {
      ...(place === 'range' && { range: range.trim() }),
      ...(ports.value !== undefined && { ports: ports.value }),
      ...(seconds !== '' && { timeout_s: timeoutS }),
      ...(isPublic && { allow_public: true }),
    };
    const answer = await api.startScan(scan);
    if (answer.ok) props.onStarted(answer.value.scan);
    else setFailure(answer.failure);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div class="form-row scan-row">
        <Choice name="Look through" values={PLACES} chosen={place} onChoose={setPlace} />
        {place === 'range' && (
          <TextField
            label="Range"
            value={range}
            placeholder="192.168.1.0/24"
            error={isTried ? errors.range : undefined}
            hint="An address, or a CIDR of at most a /22 (/118 of IPv6)."
            onInput={setRange}
          />
        )}
        <TextField
          label="Ports"
          value={portsText}
          placeholder={`${props.wellKnown.length} well-known ones`}
          error={errors.ports}
          hint="Such as 11434, 8000-8010."
          onInput={setPortsText}
        />
        <TextField
          label="Seconds for each"
          inputMode="decimal"
          value={seconds}
          placeholder="1.5"
          error={errors.seconds}
          hint="Until it identifies itself."
          onInput={setSeconds}
        />
      </div>
      {place === 'range' && (
        <CheckField
          label="Also public addresses"
          hint="Only with the consent of those who run them."
          isChecked={isPublic}
          onChange={setPublic}
        />
      )}
      <div class="toolbar">
        <ActionButton kind="primary" isDisabled={props.isRunning} onAct={start}>
          Scan
        </ActionButton>
        <span class="hint">
          Only the GETs that prove what a server is are sent. No key and no prompt is, and nothing is written.
        </span>
      </div>
      <SubmitOnEnter isDisabled={props.isRunning} />
      {failure !== undefined && <FailureNote failure={failure} />}
    </form>
  );
}
