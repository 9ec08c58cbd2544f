import { dirname, resolve } from 'node:path';
import { describe, nearest, parseStrictJson, toErrorData } from '../../base/index.js';
import { createAccessList, parseIdentityEntry } from '../../grpc/index.js';
import { backendWords, isBackendChoice } from '../../models/index.js';
import { Compile, type Static } from '../../schema/index.js';
import { EngineFile, type EngineConfig } from './engine-file.js';
import { toEngineConfigError, toFieldName, toSyntaxError, type ConfigProblem } from './json-problems.js';

/** Ten thousand identities of 2 KB in each list are 40 MB; no deployment has that many that long. */
export const MAX_CONFIG_BYTES = 4 << 20;
const LIMITS = { maxDepth: 16, maxItems: 100_000, maxNodes: 100_000, forbiddenKeys: ['__proto__'] };
const validator = Compile(EngineFile);

type Parsed = Static<typeof EngineFile>;
/** The keywords of JSON Schema that this reader uses. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
}

/**
 * The configuration in `bytes`. `file`: its path, which messages name and its own paths are relative to. Errors:
 * `engine_config_invalid`, which lists every mistake with its line.
 */
export async function parseEngineConfig(
  bytes: Uint8Array,
  file: string,
  parseKeys: (keys: readonly string[], field: string) => Promise<readonly string[]>,
): Promise<EngineConfig> {
  const text = Buffer.from(bytes).toString('utf8');
  const value = parseStrictJson(bytes, LIMITS, (why) => toSyntaxError(file, text, why));
  const filled = withDefaults(EngineFile, value);
  const problems = [...findProblems(filled), ...(isValid(filled) ? await checkFields(filled, parseKeys) : [])];
  if (problems.length > 0 || !isValid(filled)) throw toEngineConfigError(file, text, problems);
  return toConfig(filled, dirname(resolve(file)));
}

function isValid(value: unknown): value is Parsed {
  return validator.Check(value);
}

/** The value with the defaults of absent fields, and absent objects that have any. */
function withDefaults(schema: Shape, value: unknown): unknown {
  if (schema.properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties)) {
    const given = filled[name];
    if (given === undefined && field.default !== undefined) filled[name] = field.default;
    else if (field.properties !== undefined && hasDefaults(field)) filled[name] = withDefaults(field, given ?? {});
  }
  return filled;
}

function hasDefaults({ properties = {} }: Shape): boolean {
  return Object.values(properties).some((field) => field.default !== undefined);
}

function findProblems(value: unknown): ConfigProblem[] {
  if (validator.Check(value)) return [];
  const problems = validator.Errors(value).flatMap(({ keyword, instancePath, params }): ConfigProblem[] => {
    const path = toPath(instancePath);
    const at = schemaAt(path);
    if (keyword === 'additionalProperties') {
      const names: unknown = Reflect.get(params, 'additionalProperties');
      return (Array.isArray(names) ? names.map(String) : []).map((name) => unknown(path, name, at));
    }
    // The validator reports an unknown name a second time in this form.
    if (keyword === 'boolean') return [];
    if (keyword === 'required') {
      const names: unknown = Reflect.get(params, 'requiredProperties');
      return (Array.isArray(names) ? names.map(String) : []).map((name) => ({
        path: [...path, name],
        message: `${toFieldName([...path, name])} is missing; it is needed`,
      }));
    }
    const found = describe(valueAt(value, path), true);
    return [{ path, message: `${toFieldName(path) || 'the file'} is ${found}; it must be ${toWords(at)}` }];
  });
  const seen = new Set<string>();
  return problems.filter(({ message }) => !seen.has(message) && seen.add(message));
}

function unknown(path: ConfigProblem['path'], name: string, { properties = {} }: Shape): ConfigProblem {
  const known = Object.keys(properties);
  const near = nearest(name, known);
  const field = toFieldName([...path, /^[\w-]{1,64}$/.test(name) ? name : '…']);
  const hint = near === undefined ? `Known here are ${known.join(', ')}.` : `Did you mean ${near}?`;
  return { path: [...path, name], isName: true, message: `${field} is no field of engine.json. ${hint}` };
}

/** The required type of a value, in words. */
function toWords(schema: Shape): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list of at most ${schema.maxItems} strings`;
    case 'object':
      return `an object with ${Object.keys(schema.properties ?? {}).join(', ')}`;
    default:
      return schema.pattern === undefined
        ? `a string of 1 to ${schema.maxLength} characters`
        : `a string that matches ${schema.pattern}`;
  }
}

function schemaAt(path: ConfigProblem['path']): Shape {
  return path.reduce<Shape>(
    (schema, step) => (typeof step === 'number' ? schema.items : schema.properties?.[step]) ?? {},
    EngineFile,
  );
}

function toPath(instancePath: string): (string | number)[] {
  const steps = instancePath.split('/').slice(1);
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function valueAt(value: unknown, path: ConfigProblem['path']): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (Reflect.get(at, step) as unknown) : undefined),
    value,
  );
}

/** Checks beyond the schema. */
async function checkFields(
  { security, hardware }: Parsed,
  parseKeys: (keys: readonly string[], field: string) => Promise<readonly string[]>,
): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const check = async (path: ConfigProblem['path'], work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push({ path, message: toErrorData(error).message });
    }
  };
  for (const list of ['control_identities', 'data_identities'] as const) {
    for (const [index, entry] of (security?.[list] ?? []).entries()) {
      const path = ['security', list, index];
      await check(path, () => parseIdentityEntry(entry, toFieldName(path)));
    }
  }
  for (const [index, key] of (security?.trusted_signing_keys ?? []).entries()) {
    const path = ['security', 'trusted_signing_keys', index];
    await check(path, () => parseKeys([key], toFieldName(path)));
  }
  const { backend = 'auto' } = hardware ?? {};
  if (!isBackendChoice(backend) || backend.includes(':')) {
    const message = `hardware.backend is ${describe(backend, true)}; it must be ${backendWords.rule}, without a number`;
    problems.push({ path: ['hardware', 'backend'], message });
  } else if ((hardware?.device_id ?? 0) > 0 && !isBackendChoice(`${backend}:${hardware?.device_id}`)) {
    const message = `hardware.device_id is ${hardware?.device_id}, but the backend ${backend} has one device: leave it out, or write 0`;
    problems.push({ path: ['hardware', 'device_id'], message });
  }
  return problems;
}

function toConfig({ engine, security, model, hardware }: Parsed, directory: string): EngineConfig {
  const path = (given: string | undefined): string | undefined => given && resolve(directory, given);
  return {
    engine: {
      id: engine?.id ?? '',
      listenAddress: engine?.listen_address ?? '',
      grpcPort: engine?.grpc_port ?? 0,
      logLevel: engine?.log_level ?? 'info',
    },
    security: {
      mtlsRequired: security?.mtls_required ?? true,
      serverCertPath: path(security?.server_cert_path),
      serverKeyPath: path(security?.server_key_path),
      clientCaPath: path(security?.client_ca_path),
      controlIdentities: security?.control_identities ?? [],
      dataIdentities: security?.data_identities ?? [],
      trustedSigningKeys: security?.trusted_signing_keys ?? [],
      allowUnsignedDev: security?.allow_unsigned_dev ?? false,
    },
    model: { artifactPath: resolve(directory, model.artifact_path) },
    hardware: { backend: hardware?.backend ?? 'auto', deviceId: hardware?.device_id ?? 0 },
  };
}

/** Whom the lists of a configuration let in. */
export function accessOf({ security }: EngineConfig): ReturnType<typeof createAccessList> {
  return createAccessList({ control: security.controlIdentities, data: security.dataIdentities });
}
