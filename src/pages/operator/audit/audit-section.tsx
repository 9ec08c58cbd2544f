import type { VNode } from 'preact';
import { mapAnswer, type AuditEntry } from '../../data/index.js';
import { AuditView, type AuditFile, type AuditQuery, type AuditSource } from '../../kit/index.js';
import { useOperator } from '../operator-state.js';

/** The audit log: filtered, verified, exported. */
export function AuditSection(): VNode {
  const { api } = useOperator();
  const fileOf = (format: 'ndjson' | 'csv', label: string, type: string): AuditFile => ({
    name: `audit.${format}`,
    label,
    take: async (query) =>
      mapAnswer(await api.file('audit', { ...toParams(query), format }), (text) => new Blob([text], { type })),
  });
  const source: AuditSource = {
    page: (query, cursor, signal) => api.page<AuditEntry>('audit.list', 'entries', toParams(query), cursor, signal),
    verify: () => api.run('audit.verify', {}),
    files: [fileOf('ndjson', 'JSON', 'application/x-ndjson'), fileOf('csv', 'CSV', 'text/csv')],
  };
  return <AuditView source={source} />;
}

/** Converts filters to parameters of operations, without empty ones. */
function toParams({ from, to, ...texts }: AuditQuery): object {
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return {
    ...Object.fromEntries(given),
    ...(from !== '' && { from_ms: Date.parse(from) }),
    ...(to !== '' && { to_ms: Date.parse(to) }),
  };
}
