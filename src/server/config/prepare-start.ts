/** Everything that must be right before a socket opens: file, keys, certificates, artifact, in this order. */
import { open } from 'node:fs/promises';
import { AppError, fileErrorReason, hasErrorCode, isAppError, type Clock } from '../../base/index.js';
import { openAccess, readTlsMaterial } from '../../grpc/index.js';
import type { Trust } from '../services/trust.js';
import type { EngineConfig } from './engine-file.js';
import { accessOf, MAX_CONFIG_BYTES, parseEngineConfig } from './parse-engine-config.js';
import {
  checkStartRules,
  fileRules,
  signatureRules,
  startWarnings,
  type ArtifactSignatureState,
} from './start-rules.js';

/** Facts of an untampered artifact. */
export interface ArtifactReport {
  readonly id: string;
  readonly state: ArtifactSignatureState;
  /** Public keys that signed it: the trusted ones, or all if none is trusted. */
  readonly keys: readonly string[];
  /** When its manifest was written, milliseconds since 1970. */
  readonly changedMs: number;
}

/** How artifacts and keys are judged. */
export interface Judges {
  /** Public keys in a form that can be compared. Errors: any, for an invalid key. */
  readonly parseKeys: (keys: readonly string[], field: string) => Promise<readonly string[]>;
  /** `isWhole`: hashes the weights too, as a load does. Errors: those of a damaged or tampered artifact. */
  readonly inspect: (directory: string, trustedKeys: readonly string[], isWhole: boolean) => Promise<ArtifactReport>;
}

/** A configuration that may start. */
export interface StartPlan {
  readonly config: EngineConfig;
  readonly trust: Trust;
  readonly artifact: ArtifactReport;
  /** Lines of the block that warns of development settings. */
  readonly warnings: readonly string[];
}

/** Files that a configuration names besides the artifact, itself first. */
export function trustPaths(file: string, { security }: EngineConfig): string[] {
  const { serverCertPath, serverKeyPath, clientCaPath } = security;
  return [file, serverCertPath, serverKeyPath, clientCaPath].filter((path) => path !== undefined);
}

/**
 * Reads the configuration at `file` and all files that it names, with `isWhole` the weights too. Opens no socket.
 * Errors: `engine_config_missing`, `engine_config_invalid`, `start_refused`, `tls_files_invalid`, those of a tampered
 * artifact.
 */
export async function prepareStart(file: string, judges: Judges, clock: Clock, isWhole = false): Promise<StartPlan> {
  const { config, trust } = await readTrust(file, judges, clock);
  const artifact = await inspectArtifact(config, trust.signingKeys, judges, isWhole);
  const facts = { config, signature: artifact.state };
  checkStartRules(signatureRules, facts);
  return { config, trust, artifact, warnings: startWarnings(facts) };
}

/**
 * The configuration and its certificates and keys, without the artifact: a running server reads these again. Errors: as
 * `prepareStart`.
 */
export async function readTrust(
  file: string,
  { parseKeys }: Pick<Judges, 'parseKeys'>,
  clock: Clock,
): Promise<Pick<StartPlan, 'config' | 'trust'>> {
  const config = await parseEngineConfig(await readConfig(file), file, parseKeys);
  checkStartRules(fileRules, { config, signature: undefined });
  const { security } = config;
  const { serverCertPath: cert, serverKeyPath: key, clientCaPath: ca } = security;
  const tls =
    cert === undefined || key === undefined
      ? undefined
      : await readTlsMaterial(
          {
            cert: { field: 'security.server_cert_path', path: cert },
            key: { field: 'security.server_key_path', path: key },
            ...(security.mtlsRequired &&
              ca !== undefined && { clientCa: { field: 'security.client_ca_path', path: ca } }),
          },
          clock.unixSeconds() * 1000,
        );
  return {
    config,
    trust: {
      tls,
      access: security.mtlsRequired ? accessOf(config) : openAccess,
      numControl: security.controlIdentities.length,
      numData: security.dataIdentities.length,
      signingKeys: await parseKeys(security.trustedSigningKeys, 'security.trusted_signing_keys'),
    },
  };
}

/** Errors: `start_refused` where there is no readable artifact; those of a tampered one. */
export async function inspectArtifact(
  { model }: EngineConfig,
  trustedKeys: readonly string[],
  { inspect }: Pick<Judges, 'inspect'>,
  isWhole = false,
): Promise<ArtifactReport> {
  try {
    return await inspect(model.artifactPath, trustedKeys, isWhole);
  } catch (error) {
    // At a conversion these are errors of the caller; here they are errors of the operator.
    if (!isAppError(error) || error.code.startsWith('signature_')) throw error;
    const message = `model.artifact_path is ${model.artifactPath}: ${error.message}`;
    throw new AppError('start_refused', message, { rule: 'artifact' }, { cause: error });
  }
}

async function readConfig(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r');
    const found = await file.stat();
    if (!found.isFile()) throw new AppError('engine_config_invalid', `${path} is no file`, { path });
    if (found.size > MAX_CONFIG_BYTES) {
      const message = `${path} has ${found.size} bytes; the limit is ${MAX_CONFIG_BYTES}`;
      throw new AppError('engine_config_invalid', message, { path });
    }
    return await file.readFile();
  } catch (error) {
    if (isAppError(error)) throw error;
    const why = hasErrorCode(error, 'ENOENT', 'ENOTDIR') ? 'there is no such file' : fileErrorReason(error);
    throw new AppError('engine_config_missing', `the configuration ${path} cannot be read: ${why}`, { path });
  }
}
