/**
 * The conditions of a start, as data: the reasons for a refusal before any socket opens, in order, each with its text.
 * The tables of the page on production derive from it, and a suite tests them with real files.
 */
import { AppError } from '../../base/index.js';
import { isLoopbackHost } from '../../http/index.js';
import type { EngineConfig } from './engine-file.js';

/** The result of an artifact's signatures. A tampered artifact has an error instead. */
export type ArtifactSignatureState = 'unsigned' | 'trusted' | 'unknown';

/** The input of the rules. */
export interface StartFacts {
  readonly config: EngineConfig;
  /** Undefined until it was looked at. */
  readonly signature: ArtifactSignatureState | undefined;
}

/** One reason for which a server does not start. */
export interface StartRule {
  readonly name: string;
  /** When it holds, as a sentence's end for people. */
  readonly when: string;
  readonly isBroken: (facts: StartFacts) => boolean;
  /** The mistake and the next step. */
  readonly text: (config: EngineConfig) => string;
}

/** Rules that need nothing but the file, in their order. */
export const fileRules: readonly StartRule[] = [
  {
    name: 'no signing key',
    when: '`trusted_signing_keys` is empty and `allow_unsigned_dev` is not set',
    isBroken: ({ config: { security } }) => security.trustedSigningKeys.length === 0 && !security.allowUnsignedDev,
    text: () =>
      'security.trusted_signing_keys is empty, so no artifact could be trusted: list the public key of its signer (sign_artifact keygen makes one), or, for development alone, set security.allow_unsigned_dev',
  },
  {
    name: 'no certificates',
    when: '`mtls_required` is set and one of the three paths is missing',
    isBroken: ({ config: { security } }) =>
      security.mtlsRequired &&
      [security.serverCertPath, security.serverKeyPath, security.clientCaPath].includes(undefined),
    text: ({ security }) => {
      const missing = [
        ...(security.serverCertPath === undefined ? ['security.server_cert_path'] : []),
        ...(security.serverKeyPath === undefined ? ['security.server_key_path'] : []),
        ...(security.clientCaPath === undefined ? ['security.client_ca_path'] : []),
      ].join(' and ');
      return `security.mtls_required needs ${missing}: give the path, or, for development alone, set mtls_required to false and listen on 127.0.0.1`;
    },
  },
  {
    name: 'half a certificate',
    when: 'only one of `server_cert_path` and `server_key_path` is there',
    isBroken: ({ config: { security } }) =>
      (security.serverCertPath === undefined) !== (security.serverKeyPath === undefined),
    text: () => 'security.server_cert_path and security.server_key_path belong together: give both, or neither',
  },
  {
    name: 'no identity may call',
    when: '`mtls_required` is set and both lists of identities are empty',
    isBroken: ({ config: { security } }) =>
      security.mtlsRequired && security.controlIdentities.length === 0 && security.dataIdentities.length === 0,
    text: () =>
      'security.control_identities and security.data_identities are empty, so no client could call anything: list who may',
  },
  {
    name: 'open to others',
    when: 'neither `mtls_required` nor `allow_unsigned_dev` is set and `listen_address` is no loopback address',
    isBroken: ({ config: { engine, security } }) =>
      !security.mtlsRequired && !security.allowUnsignedDev && !isLoopbackHost(engine.listenAddress),
    text: ({ engine }) =>
      `engine.listen_address is ${engine.listenAddress}, which other machines reach, and without security.mtls_required every client could call: set mtls_required, or listen on 127.0.0.1`,
  },
];

/** Rules about the artifact's signatures. */
export const signatureRules: readonly StartRule[] = [
  {
    name: 'unsigned',
    when: 'the artifact has no signature and `allow_unsigned_dev` is not set',
    isBroken: ({ config: { security }, signature }) => signature === 'unsigned' && !security.allowUnsignedDev,
    text: ({ model }) =>
      `model.artifact_path is ${model.artifactPath}: the artifact has no signature; sign it with a key of security.trusted_signing_keys (sign_artifact sign KEY DIR)`,
  },
  {
    name: 'signed by another',
    when: 'no key of `trusted_signing_keys` signed the artifact and `allow_unsigned_dev` is not set',
    isBroken: ({ config: { security }, signature }) => signature === 'unknown' && !security.allowUnsignedDev,
    text: ({ model }) =>
      `model.artifact_path is ${model.artifactPath}: the artifact is signed, but by no key of security.trusted_signing_keys; fetch it from whom you trust, or list the key that signed it`,
  },
];

/** Errors: `start_refused`, for the first rule that is broken. */
export function checkStartRules(rules: readonly StartRule[], facts: StartFacts): void {
  const broken = rules.find((rule) => rule.isBroken(facts));
  if (broken !== undefined) throw new AppError('start_refused', broken.text(facts.config), { rule: broken.name });
}

/** Warnings for an operator before clients rely on the server: lines of a block, possibly none. */
export function startWarnings({ config: { engine, security }, signature }: StartFacts): string[] {
  const isOpen = !isLoopbackHost(engine.listenAddress);
  const hasTls = security.serverCertPath !== undefined;
  const lists = security.controlIdentities.length + security.dataIdentities.length;
  return [
    ...(security.mtlsRequired
      ? []
      : [
          `security.mtls_required is false: ${hasTls ? 'clients are not asked who they are' : 'nothing is encrypted, and clients are not asked who they are'}, and every client that reaches the port may call everything.`,
        ]),
    ...(!security.mtlsRequired && isOpen ? [`Other machines reach it: it listens on ${engine.listenAddress}.`] : []),
    ...(!security.mtlsRequired && lists > 0
      ? ['The lists of identities have no effect, since clients are not asked for certificates.']
      : []),
    ...(security.allowUnsignedDev ? ['security.allow_unsigned_dev is true: unsigned models are loaded.'] : []),
    ...(signature === 'unsigned' ? ['The artifact has no signature.'] : []),
    ...(signature === 'unknown'
      ? ['The artifact is signed by a key that is not trusted, which counts as no signature.']
      : []),
  ];
}
