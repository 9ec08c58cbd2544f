import type { ListenerStats } from '../http/index.js';
import { heading, sample } from './prometheus.js';

/** Writes the counts of a listener in the text format of Prometheus; their names begin with `prefix`. */
export function renderListener(prefix: string, stats: ListenerStats): string {
  const single = (name: string, type: 'gauge' | 'counter', help: string, value: number): string =>
    heading(`${prefix}_${name}`, type, help) + sample(`${prefix}_${name}`, {}, value);
  const refused = Object.entries(stats.refused).map(([code, count]) =>
    sample(`${prefix}_http_refused_total`, { code }, count),
  );
  return [
    single('http_connections', 'gauge', 'Open connections.', stats.connections),
    single('http_requests_running', 'gauge', 'Requests with an unfinished answer.', stats.running),
    single('http_received_bytes_total', 'counter', 'Bytes of bodies received.', stats.bytesIn),
    single('http_sent_bytes_total', 'counter', 'Bytes of bodies sent.', stats.bytesOut),
    single('http_stalled_readers_total', 'counter', 'Readers cut because they took nothing.', stats.stalledReaders),
    heading(`${prefix}_http_refused_total`, 'counter', 'Requests refused before any route, by reason.'),
    ...refused,
  ].join('');
}
