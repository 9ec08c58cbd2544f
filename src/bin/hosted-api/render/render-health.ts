import { renderTable } from '../../../cli/index.js';

interface Health {
  readonly nodes: number;
  readonly requests: {
    readonly running: number;
    readonly settled: number;
    readonly voided: number;
    readonly uncharged: number;
  };
  readonly node: {
    readonly uptime_ms: number;
    readonly database_ready: boolean;
    readonly outbox_depth: number;
    readonly config_refused: string | null;
    readonly providers: number;
    readonly gateways: number;
    readonly stale_gateways: number;
    readonly upstreams: readonly {
      readonly id: string;
      readonly running: number;
      readonly queued: number;
      readonly breaker: string;
      readonly closed_models: readonly string[];
    }[];
  } | null;
}

/** How the node of this machine does, a fact a line, and its upstreams as a table. */
export function renderHealth({ node, nodes, requests }: Health): string {
  if (node === null)
    return `No node runs on this machine. Nodes that live on the database: ${nodes}, this command among them.\n`;
  const facts: readonly (readonly [string, string])[] = [
    ['Up for', `${Math.round(node.uptime_ms / 1_000)} s`],
    ['Database', node.database_ready ? 'answers' : 'does not answer'],
    ['Settlements that wait', String(node.outbox_depth)],
    ['hosted.yaml', node.config_refused === null ? 'in use' : `refused: ${node.config_refused}`],
    ['Providers', String(node.providers)],
    ['Gateways', `${node.gateways}, of which ${node.stale_gateways} cannot be asked for their models`],
    ['Nodes that live', String(nodes)],
    ['Requests under way', String(requests.running)],
    [
      'Since the start',
      `${requests.settled} settled, ${requests.voided} voided, ${requests.uncharged} not charged whole`,
    ],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const head = facts.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
  if (node.upstreams.length === 0) return head;
  const rows = node.upstreams.map((it) => [
    it.id,
    String(it.running),
    String(it.queued),
    it.breaker,
    it.closed_models.join(',') || '-',
  ]);
  return `${head}\n${renderTable(['UPSTREAM', 'RUNNING', 'QUEUED', 'BREAKER', 'CLOSED MODELS'], rows, [1, 2])}`;
}
