// When a production server starts: every combination of what the specification lets an operator choose, and what decides it.
// The tables of docs/production.md are made of it, and test/grpc/fail-closed.test.ts holds it to real files.
import type { EngineConfig } from '../../src/server/config/engine-file.js';
import {
  fileRules,
  signatureRules,
  type ArtifactSignatureState,
  type StartRule,
} from '../../src/server/config/start-rules.js';

/** The dimensions of the table. */
export const startDimensions = {
  mtls: [true, false],
  allowUnsigned: [false, true],
  keys: ['none', 'right', 'malformed', 'other'],
  files: ['right', 'none given', 'missing', 'unreadable', 'world-readable key', 'mismatched', 'expired'],
  artifact: ['signed', 'unsigned', 'tampered', 'signed by another'],
} as const;

/** One combination. */
export interface StartRow {
  readonly mtls: boolean;
  readonly allowUnsigned: boolean;
  readonly keys: (typeof startDimensions.keys)[number];
  readonly files: (typeof startDimensions.files)[number];
  readonly artifact: (typeof startDimensions.artifact)[number];
}

/** What becomes of a combination. `text`: what its message has in it. */
export interface StartOutcome {
  /** `starts`, or the name of what refuses it. */
  readonly name: string;
  /** Undefined: it starts. */
  readonly code?: string;
  readonly text?: RegExp;
  readonly warns: boolean;
}

/** What files refuse, by their state; the text that an operator reads. */
const fileTexts: Partial<Record<StartRow['files'], string>> = {
  missing: 'there is no such file',
  unreadable: 'this user may not read it',
  'world-readable key': 'other users of this machine may use it (mode 604)',
  mismatched: 'it is not the private key of the certificate in …',
  expired: 'its certificate expired on …; issue a new one',
};

/** Every combination. */
export function startRows(): StartRow[] {
  const { mtls, allowUnsigned, keys, files, artifact } = startDimensions;
  return mtls.flatMap((m) =>
    allowUnsigned.flatMap((a) =>
      keys.flatMap((k) =>
        files.flatMap((f) => artifact.map((s) => ({ mtls: m, allowUnsigned: a, keys: k, files: f, artifact: s }))),
      ),
    ),
  );
}

/** A configuration with the choices of a row; paths are names. */
export function rowConfig({ mtls, allowUnsigned, keys, files }: StartRow): EngineConfig {
  const path = (name: string): string | undefined => (files === 'none given' ? undefined : name);
  return {
    engine: { id: 'engine', listenAddress: '127.0.0.1', grpcPort: 0, logLevel: 'info' },
    security: {
      mtlsRequired: mtls,
      serverCertPath: path('server.pem'),
      serverKeyPath: path('server.key'),
      clientCaPath: path('ca.pem'),
      controlIdentities: ['spiffe://suite.test/control'],
      dataIdentities: ['spiffe://suite.test/data'],
      trustedSigningKeys: keys === 'none' ? [] : [keys],
      allowUnsignedDev: allowUnsigned,
    },
    model: { artifactPath: '/models/m' },
    hardware: { backend: 'auto', deviceId: 0 },
  };
}

/** What decides a row, in the order in which a start looks. */
export function decide(row: StartRow): StartOutcome {
  const config = rowConfig(row);
  if (row.keys === 'malformed') {
    return { name: 'malformed key', code: 'engine_config_invalid', text: /trusted_signing_keys\[0\]/, warns: false };
  }
  const broken = brokenRule(fileRules, config, undefined);
  if (broken !== undefined) return refusal(broken, config);
  const file = fileTexts[row.files];
  if (file !== undefined) {
    return { name: row.files, code: 'tls_files_invalid', text: new RegExp(toPattern(file)), warns: false };
  }
  if (row.artifact === 'tampered')
    return { name: 'tampered', code: 'signature_invalid', text: /refused/, warns: false };
  const state = stateOf(row);
  const untrusted = brokenRule(signatureRules, config, state);
  if (untrusted !== undefined) return refusal(untrusted, config);
  return { name: 'starts', warns: !row.mtls || row.allowUnsigned };
}

function brokenRule(
  rules: readonly StartRule[],
  config: EngineConfig,
  signature: ArtifactSignatureState | undefined,
): StartRule | undefined {
  return rules.find((rule) => rule.isBroken({ config, signature }));
}

function refusal(rule: StartRule, config: EngineConfig): StartOutcome {
  const text = rule.text(config).replaceAll('/models/m', '…');
  return { name: rule.name, code: 'start_refused', text: new RegExp(toPattern(text)), warns: false };
}

/** A signature is known by the right key alone. */
function stateOf({ artifact, keys }: StartRow): ArtifactSignatureState {
  if (artifact === 'unsigned') return 'unsigned';
  return artifact === 'signed' && keys === 'right' ? 'trusted' : 'unknown';
}

function toPattern(text: string): string {
  return text
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*');
}

/** Every reason for which a server does not start: code and text. */
export function refusalTable(): string {
  const config = rowConfig({ mtls: true, allowUnsigned: false, keys: 'none', files: 'none given', artifact: 'signed' });
  const open = { ...config, engine: { ...config.engine, listenAddress: '0.0.0.0' } };
  const rule = ({ name, when, text }: StartRule): string => `| ${name} | ${when} | \`start_refused\` | ${text(open)} |`;
  const files = Object.entries(fileTexts).map(
    ([name, text]) => `| ${name} | a file of a certificate is so | \`tls_files_invalid\` | security.… is …: ${text} |`,
  );
  return [
    '| refused for | when | code | text |',
    '|---|---|---|---|',
    '| malformed key | an entry of `trusted_signing_keys` is no public key | `engine_config_invalid` | …:LINE:COLUMN: security.trusted_signing_keys[0] … |',
    ...fileRules.map(rule),
    ...files,
    '| tampered | a file of a signed artifact, or its signature, was changed | `signature_invalid` | the signed model … is refused: … |',
    ...signatureRules.map(rule),
  ].join('\n');
}

/** What decides each combination of the file: rows with equal outcomes for every artifact are told by the artifact's columns. */
export function startMatrix(): string {
  const { artifact: artifacts } = startDimensions;
  const shown = (value: boolean): string => (value ? 'true' : 'false');
  const lines = new Map<string, string[]>();
  for (const row of startRows()) {
    const head = `| ${shown(row.mtls)} | ${shown(row.allowUnsigned)} | ${row.keys} | ${row.files} |`;
    const { name, warns } = decide(row);
    lines.set(head, [
      ...(lines.get(head) ?? []),
      name === 'starts' && warns ? '**starts**, warns' : name === 'starts' ? '**starts**' : name,
    ]);
  }
  return [
    `| \`mtls_required\` | \`allow_unsigned_dev\` | keys | certificate files | ${artifacts.join(' | ')} |`,
    `|---|---|---|---|${artifacts.map(() => '---|').join('')}`,
    ...[...lines].map(([head, cells]) => `${head} ${cells.join(' | ')} |`),
  ].join('\n');
}
