import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty, Failed, Loading, SelectField, useKit, useLoad, useStore } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { Findings } from './findings.js';
import { ScanForm } from './scan-form.js';
import { ScanProgress } from './scan-progress.js';
import { useScan } from './use-scan.js';

/** Scans for runtimes, and imports the ticked ones. */
export function ScanTab(): VNode {
  const { api } = useAdmin();
  const { router, formats } = useKit();
  const { query } = useStore(router);
  const scans = useLoad((call) => api.scans(call), []);
  const [turn, setTurn] = useState(0);
  const newest = scans.value?.data[0]?.id;
  const id = query['scan'] ?? newest;
  const { scan, findings, failure } = useScan(id, turn);
  const isRunning = scan?.state === 'running';
  // The list contains the outcome of the scan.
  useEffect(() => {
    if (scan !== undefined && !isRunning) scans.reload();
  }, [isRunning]);
  if (scans.value === undefined) {
    return scans.failure === undefined ? (
      <Loading lines={8} />
    ) : (
      <Failed failure={scans.failure} onRetry={scans.reload} />
    );
  }
  const { data: remembered, well_known_ports: wellKnown } = scans.value;
  return (
    <>
      <section class="card" aria-label="Scan">
        <ScanForm
          wellKnown={wellKnown}
          isRunning={isRunning}
          onStarted={(started) => {
            router.setQuery({ scan: started.id });
            scans.reload();
          }}
        />
        {scan !== undefined && <ScanProgress scan={scan} />}
      </section>
      {remembered.length > 1 && id !== undefined && (
        <div class="narrow">
          <SelectField
            label="Scans that are remembered"
            value={id}
            options={remembered.map((each) => [
              each.id,
              `${each.range}, ${formats.dateTime(each.started_at)}: ${each.state}`,
            ])}
            onChange={(chosen) => router.setQuery({ scan: chosen })}
          />
        </div>
      )}
      {failure !== undefined && <Failed failure={failure} onRetry={() => setTurn(turn + 1)} />}
      {id === undefined ? (
        <Empty icon="radar" title="Nothing was scanned yet.">
          A scan of this machine takes a second or two. Nothing is imported before you tick it.
        </Empty>
      ) : (
        scan !== undefined && <Findings key={id} scan={scan} findings={findings} onImported={() => setTurn(turn + 1)} />
      )}
    </>
  );
}
