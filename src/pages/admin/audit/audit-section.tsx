import type { VNode } from 'preact';
import type { ApiAnswer } from '../../data/index.js';
import { AuditView, type AuditSource } from '../../kit/index.js';
import { useAdmin } from '../admin.js';

/** The audit log: filtered, verified, exported. */
export function AuditSection(): VNode {
  const { api } = useAdmin();
  const source: AuditSource = {
    page: (query, cursor, signal) => api.audit({ query, cursor, signal }),
    verify: () => api.verifyAudit(),
    files: [
      {
        name: 'audit.ndjson',
        async take({ from, to }): Promise<ApiAnswer<Blob>> {
          const answer = await api.exportAudit({ from, to });
          return answer.ok ? { ...answer, value: await answer.value.blob() } : answer;
        },
      },
    ],
  };
  return <AuditView source={source} />;
}
