import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  ActorTree,
  Badge,
  Card,
  CheckField,
  Confirm,
  Facts,
  LoadedView,
  Note,
  TextField,
  UsageBar,
  useKit,
  useLoad,
} from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Reloaded, System } from '../api/system-answers.js';
import { errorOf, readWhole, type ApiFailure } from '../../data/index.js';

/** Refresh interval in milliseconds. */
const LOOK_MS = 3_000;
const DRAINS = {
  serving: ['good', 'serving'],
  draining: ['warn', 'draining: no new requests are taken'],
  drained: ['idle', 'drained: nothing is under way'],
} as const;

/** The process: its actors, versions, memory and disk, with a button to take it out of service. */
export function SystemSection(): VNode {
  const { api } = useAdmin();
  const system = useLoad((call) => api.system(call), [], LOOK_MS);
  return (
    <div class="measure">
      <LoadedView loaded={system} lines={12}>
        {(shown) => (
          <>
            <State system={shown} onChanged={system.reload} />
            <div class="cards">
              <Process system={shown} />
              <Disk system={shown} />
            </div>
            <ActorTree tree={shown.tree} />
          </>
        )}
      </LoadedView>
    </div>
  );
}

function State({ system, onChanged }: { readonly system: System; readonly onChanged: () => void }): VNode {
  const { api } = useAdmin();
  const { notify } = useKit();
  const [isDraining, setDraining] = useState(false);
  const [tone, words] = DRAINS[system.drain];
  const reload = async (): Promise<void> => {
    const answer = await api.reload();
    notify(answer.ok ? reloadWords(answer.value) : answer.failure.message);
  };
  return (
    <>
      <div class="toolbar">
        <span role="status">
          <Badge tone={tone}>{words}</Badge>
        </span>
        <span class="toolbar-space" />
        <button type="button" class="button" onClick={() => void reload()}>
          Look at gateway.yaml now
        </button>
        {system.drain === 'serving' && (
          <button type="button" class="button danger" onClick={() => setDraining(true)}>
            Drain
          </button>
        )}
      </div>
      {system.drain !== 'serving' && (
        <Note tone="warn">Clients get 503. A start of the gateway serves them again.</Note>
      )}
      {isDraining && <DrainDialog onDone={onChanged} onClose={() => setDraining(false)} />}
    </>
  );
}

function reloadWords({ state, refused, needs_restart: fields }: Reloaded): string {
  if (refused !== null) return `The file is refused: ${refused}`;
  const words = state === 'unchanged' ? 'The file is as it was.' : 'The file was taken up.';
  return fields.length === 0 ? words : `${words} The next start takes up ${fields.join(', ')}.`;
}

function Process({ system }: { readonly system: System }): VNode {
  const { formats } = useKit();
  const { memory, event_loop: loop, versions } = system;
  return (
    <Card title="Process">
      <Facts
        facts={[
          ['Gateway', <code>{system.gateway_id}</code>],
          ['Clients are served at', <code>{system.listens}</code>],
          ['Up for', formats.duration(system.uptime_s * 1_000)],
          ['Troupe', versions.troupe],
          ['Node', versions.node],
          ['SQLite', versions.sqlite],
          ['Platform', system.platform],
          ['Event loop late by', `p50 ${formats.duration(loop.p50_ms)}, p99 ${formats.duration(loop.p99_ms)}`],
          ['Sessions of this page', formats.count(system.sessions)],
          ['Memory of the process', formats.bytes(memory.rss_bytes)],
        ]}
      />
      <UsageBar
        label="Heap used"
        value={memory.heap_bytes}
        max={memory.heap_limit_bytes}
        text={`${formats.bytes(memory.heap_bytes)} of ${formats.bytes(memory.heap_limit_bytes)}`}
      />
    </Card>
  );
}

function Disk({ system: { disk, retention } }: { readonly system: System }): VNode {
  const { formats } = useKit();
  const { free_bytes: free, total_bytes: total } = disk;
  return (
    <Card title="Disk">
      <Facts
        facts={[
          ['Data directory', <code>{disk.data_dir}</code>],
          ['Requests are kept for', formats.counted(retention.request_log_days, 'day')],
          ['Audit entries are kept for', formats.counted(retention.audit_days, 'day')],
        ]}
      />
      {free !== null && total !== null && (
        <UsageBar
          label="Disk used"
          value={total - free}
          max={total}
          text={`${formats.bytes(total - free)} of ${formats.bytes(total)}`}
        />
      )}
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" class="end">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {disk.files.map(({ name, size_bytes: size }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="end">{formats.bytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const MAX_GRACE_S = 3_600;

/** Takes the gateway out of service. */
function DrainDialog(props: { readonly onDone: () => void; readonly onClose: () => void }): VNode {
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
      <p>New requests of clients get 503. Running requests may end.</p>
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
