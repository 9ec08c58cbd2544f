import type { VNode } from 'preact';
import { LoadedView, Note, Tabs, useLoad, useTab } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { ConfigForm } from './config-form.js';
import { History } from './history.js';
import { YamlEditor } from './yaml-editor.js';

const TABS = [
  ['form', 'Form'],
  ['yaml', 'YAML'],
  ['history', 'History'],
] as const;

/** gateway.yaml as a form, as a text, and in its earlier versions. */
export function ConfigurationSection(): VNode {
  const { api } = useAdmin();
  const config = useLoad((call) => api.config(call), []);
  const tab = useTab(TABS) ?? 'form';
  return (
    <div class="fill">
      <Tabs label="Configuration" tabs={TABS} chosen={tab} />
      <LoadedView loaded={config} lines={10}>
        {(shown) => (
          <>
            {shown.needs_restart.length > 0 && (
              <Note tone="warn">The next start takes up {shown.needs_restart.join(', ')}.</Note>
            )}
            {tab === 'form' && <ConfigForm key={shown.etag} config={shown} onSaved={config.reload} />}
            {tab === 'yaml' && <YamlEditor config={shown} onSaved={config.reload} />}
            {tab === 'history' && <History etag={shown.etag} onRestored={config.reload} />}
          </>
        )}
      </LoadedView>
    </div>
  );
}
