import type { VNode } from 'preact';
import { Link, Note, useLoad } from '../kit/index.js';
import { useAdmin } from './admin.js';

/** Between two looks at whether the file is in use, in milliseconds. */
const LOOK_MS = 15_000;

/** Says on every section that the gateway does not work by the file that is there. */
export function FileBanner(): VNode | null {
  const { api } = useAdmin();
  const config = useLoad((call) => api.health(call), [], LOOK_MS);
  const { refused } = config.value?.config ?? {};
  if (refused === undefined || refused === null) return null;
  return (
    <div class="shell-banner">
      <Note tone="bad">
        The gateway works by the text before: gateway.yaml is refused. {refused}{' '}
        <Link to="/configuration">Mend it</Link>
      </Note>
    </div>
  );
}
