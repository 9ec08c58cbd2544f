import { print, toPrintable, type Terminal } from '../../cli/index.js';
import { checkListen } from '../../http/index.js';
import {
  checkGatewayConfig,
  formatProblem,
  parseGatewayConfig,
  readGatewayText,
  toAuthority,
  type GatewayConfig,
  type Problem,
} from '../../gateway/index.js';
import { whyMissing } from '../why-missing.js';
import { counted } from '../../words/index.js';

/** Exit status of a file that cannot be used: that of `gateway_config_invalid`. */
const REFUSED = 3;

/**
 * Checks the file at `path` and prints what it would serve. With `asJson` mistakes are printed too, and their exit status is
 * returned. Errors: `gateway_config_invalid`, `gateway_config_missing`, `address_unavailable`.
 */
export async function check(path: string, asJson: boolean, terminal: Terminal): Promise<number> {
  const { stdout, stderr, closed, env } = terminal;
  const { text } = await readGatewayText(path);
  const { problems } = checkGatewayConfig(text);
  if (asJson && problems.length > 0) {
    await print(stdout, `${JSON.stringify({ config: path, valid: false, problems })}\n`, closed);
    return REFUSED;
  }
  const { config, warnings } = parseGatewayConfig(text, path);
  const missing = await findMissingSecrets(config, env);
  const inUse = await checkListen(config.listen.host, config.listen.port);
  if (asJson) {
    const said = {
      config: path,
      valid: true,
      warnings,
      missing_secrets: missing,
      listen_warning: inUse ?? null,
      serves: toServed(config),
    };
    await print(stdout, `${JSON.stringify(said)}\n`, closed);
    return 0;
  }
  stderr.write(renderWarnings(path, warnings, inUse === undefined ? missing : [...missing, inUse]));
  await print(stdout, toPrintable(stdout, renderServed(path, config)), closed);
  return 0;
}

function renderWarnings(path: string, warnings: readonly Problem[], missing: readonly string[]): string {
  const all = [...warnings.map((warning) => formatProblem(path, warning)), ...missing];
  return all.map((text) => `warning: ${text}\n`).join('');
}

/** Faults of the references to secrets, as they are now: the gateway may start elsewhere or later. */
async function findMissingSecrets(
  { runtimes, alerts, telemetry }: GatewayConfig,
  env: Terminal['env'],
): Promise<readonly string[]> {
  const found = await Promise.all([
    ...runtimes.map(({ id, apiKey }) => whyMissing(`the api_key of runtime ${id}`, apiKey, env)),
    ...alerts.webhooks.map(({ id, secret }) => whyMissing(`the secret of webhook ${id}`, secret, env)),
    whyMissing('telemetry.headers', telemetry.headers, env),
  ]);
  return found.flat();
}

/** The served parts of a file, for programs, without secrets and hashes. */
function toServed({ gatewayId, listen, dataDir, runtimes, models, virtualKeys }: GatewayConfig): unknown {
  return {
    gateway_id: gatewayId,
    listen: toAuthority(listen),
    data_dir: dataDir,
    runtimes: runtimes.map(({ id, kind, baseUrl, fingerprint }) => ({ id, kind, base_url: baseUrl, fingerprint })),
    models: models.map(({ id, targets }) => ({
      id,
      targets: targets.map(({ runtimeId, model, weight, order }) => ({ runtime: runtimeId, model, weight, order })),
    })),
    virtual_keys: virtualKeys.map(({ id, name, prefix, models: allowed }) => ({ id, name, prefix, models: allowed })),
  };
}

/** The same for people. */
function renderServed(path: string, config: GatewayConfig): string {
  const { gatewayId, listen, dataDir, runtimes, models, virtualKeys } = config;
  const lines = [
    `${path} can be used.`,
    '',
    `gateway   ${gatewayId}`,
    `listens   http://${toAuthority(listen)}`,
    `data      ${dataDir}`,
    '',
    counted(runtimes.length, 'runtime'),
    ...runtimes.map(({ id, kind, baseUrl }) => `  ${id}  ${kind === id ? '' : `(${kind})  `}${baseUrl}`),
    counted(models.length, 'model'),
    ...models.map(({ id, targets }) => {
      const where = targets.map(({ runtimeId, model }) => (model === id ? runtimeId : `${runtimeId} as ${model}`));
      return `  ${id}  from ${where.join(', ')}`;
    }),
    `${counted(virtualKeys.length, 'key')} in the file`,
    ...virtualKeys.map(({ name, prefix, models: allowed }) => {
      const may = allowed === null ? 'all models' : allowed.length === 0 ? 'no model' : allowed.join(', ');
      return `  ${prefix}…  ${name}: ${may}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}
