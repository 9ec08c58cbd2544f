import type { VNode } from 'preact';
import { Tabs, useTab } from '../../kit/index.js';
import { RuntimesTab } from './runtimes-tab.js';
import { ScanTab } from './scan-tab.js';

const TABS = [
  ['scan', 'Scan'],
  ['runtimes', 'Runtimes in the file'],
] as const;

/** Model servers: the findings of a scan, and the runtimes of the file with their states. */
export function DetectionSection(): VNode {
  const tab = useTab(TABS) ?? 'scan';
  return (
    <div class="fill">
      <Tabs label="Runtime detection" tabs={TABS} chosen={tab} />
      {tab === 'runtimes' ? <RuntimesTab /> : <ScanTab />}
    </div>
  );
}
