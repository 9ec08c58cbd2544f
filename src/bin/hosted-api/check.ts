import { print, toPrintable, type Terminal } from '../../cli/index.js';
import { checkListen } from '../../http/index.js';
import { checkHostedConfig, parseHostedConfig, readHostedText, type HostedConfig } from '../../hosted/index.js';
import { formatProblem, toAuthority, type SecretSource } from '../../yaml-file/index.js';
import { whyMissing } from '../why-missing.js';

/** Exit status of a file that cannot be used: that of `hosted_config_invalid`. */
const REFUSED = 3;

/**
 * Checks the file at `path` and prints what it would serve. With `asJson` mistakes are printed too, and their exit status is
 * returned. Errors: `hosted_config_invalid`, `hosted_config_missing`, `address_unavailable`.
 */
export async function check(path: string, asJson: boolean, terminal: Terminal): Promise<number> {
  const { stdout, stderr, closed, env } = terminal;
  const { text } = await readHostedText(path);
  const { problems } = checkHostedConfig(text);
  if (asJson && problems.length > 0) {
    await print(stdout, `${JSON.stringify({ config: path, valid: false, problems })}\n`, closed);
    return REFUSED;
  }
  const { config, warnings } = parseHostedConfig(text, path);
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
  const told = [
    ...warnings.map((warning) => formatProblem(path, warning)),
    ...missing,
    ...(inUse === undefined ? [] : [inUse]),
  ];
  stderr.write(told.map((each) => `warning: ${each}\n`).join(''));
  await print(stdout, toPrintable(stdout, renderServed(path, config)), closed);
  return 0;
}

/** Faults of the references to secrets, as they are now: the node may start elsewhere or later. */
async function findMissingSecrets(config: HostedConfig, env: Terminal['env']): Promise<readonly string[]> {
  const { secret, database, valkey, providers, alerts, telemetry } = config;
  const sources: (readonly [string, SecretSource | undefined])[] = [
    ['secret', secret],
    ['database.postgres.url', database.kind === 'postgres' ? database.url : undefined],
    ['valkey.url', valkey],
    ['telemetry.headers', telemetry.headers],
    ...providers.map(({ id, credential }) => [`the credential of provider ${id}`, credential] as const),
    ...alerts.webhooks.map((webhook) => [`the secret of webhook ${webhook.id}`, webhook.secret] as const),
  ];
  const found = await Promise.all(sources.map(([what, source]) => whyMissing(what, source, env)));
  return found.flat();
}

/** The served parts of a file, for programs, without secrets. */
function toServed({ listen, basePaths, dataDir, database, providers }: HostedConfig): unknown {
  return {
    listen: toAuthority(listen),
    base_paths: basePaths,
    data_dir: dataDir,
    database: database.kind,
    providers: providers.map(({ id, path, baseUrl, models, metering, unpriced, paths }) => {
      return {
        id,
        base_url: baseUrl,
        models: models ?? 'priced',
        metering,
        unpriced,
        paths: paths.map((each) => `/${path}${each.path}`),
      };
    }),
  };
}

/** The same for people. */
function renderServed(path: string, config: HostedConfig): string {
  const { listen, dataDir, database, providers } = config;
  const lines = [
    `${path} can be used.`,
    '',
    `listens    http://${toAuthority(listen)}`,
    `data       ${dataDir}`,
    `database   ${database.kind === 'sqlite' ? 'SQLite, in the data directory' : 'PostgreSQL'}`,
    '',
    `${providers.length} ${providers.length === 1 ? 'provider' : 'providers'}`,
    ...providers.flatMap(({ id, path: own, baseUrl, models, paths }) => [
      `  ${id}  ${baseUrl}  ${models === null ? 'every priced model' : `${models.length} models`}`,
      ...paths.map((each) => `    POST /${own}${each.path}`),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
