import { Type, type Static } from '../../../schema/index.js';
import { Diff } from './configuration.js';
import { orNull, Time } from './paging.js';
import { ShownFinding } from './runtimes.js';

/** The range to scan. Without a range: this machine. At most a /22, or /118 of IPv6. */
export const NewScan = Type.Object({
  range: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  ports: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), { minItems: 1, maxItems: 64 })),
  allow_public: Type.Optional(Type.Boolean()),
  timeout_s: Type.Optional(
    Type.Number({
      minimum: 0.1,
      maximum: 60,
      description: 'Time limit for the answer of each server; 1.5 where absent.',
    }),
  ),
});

/** How far a scan is. */
export const ScanCounts = Type.Object({
  endpoints: Type.Integer(),
  excluded: Type.Integer(),
  tried: Type.Integer(),
  closed: Type.Integer(),
  silent: Type.Integer(),
  found: Type.Integer(),
  auth: Type.Integer(),
  skipped: Type.Integer(),
  impostor: Type.Integer(),
});

/** A scan without its findings. */
export const ScanState = Type.Object({
  id: Type.String(),
  range: Type.String(),
  ports: Type.Array(Type.Integer()),
  state: Type.Enum(['running', 'done', 'cancelled', 'failed']),
  error: orNull(Type.String()),
  started_at: Time,
  ended_at: orNull(Time),
  counts: ScanCounts,
});
export type ScanState = Static<typeof ScanState>;

/** A scan and its findings, in the order of arrival. `left_out`: findings beyond the limit. */
export const WholeScan = Type.Object({
  ...ScanState.properties,
  findings: Type.Array(ShownFinding),
  left_out: Type.Integer(),
});
export type WholeScan = Static<typeof WholeScan>;

/** The scans that are remembered, the newest first. */
export const ScanList = Type.Object({ data: Type.Array(ScanState), well_known_ports: Type.Array(Type.Integer()) });

/** One scan. */
export const OneScan = Type.Object({ scan: WholeScan });

/** An event of a scan: `progress` with its state, `finding` with one finding, `end` with its state. */
export const ScanEvent = Type.Union([
  Type.Object({ type: Type.Literal('progress'), scan: ScanState }),
  Type.Object({ type: Type.Literal('finding'), finding: ShownFinding }),
  Type.Object({ type: Type.Literal('end'), scan: ScanState }),
]);
export type ScanEvent = Static<typeof ScanEvent>;

/** The findings to approve, by their URLs. `preview` writes nothing. */
export const ScanImport = Type.Object({
  urls: Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), { minItems: 1, maxItems: 1_024 }),
  preview: Type.Optional(Type.Boolean()),
});

/** The entries written to the file, or the entries that a preview would write. */
export const Imported = Type.Object({
  runtimes: Type.Array(Type.String()),
  models: Type.Array(Type.String()),
  left_out: Type.Integer({ description: 'Runtimes, models and targets that the file has no room for.' }),
  config_etag: Type.String(),
  diff: Diff,
  written: Type.Boolean(),
  in_use: Type.Boolean(),
  refused: orNull(Type.String()),
});
