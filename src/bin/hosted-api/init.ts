import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode, throwFileError } from '../../base/index.js';
import { print, type Terminal } from '../../cli/index.js';
import { createHostedFile, parseHostedConfig } from '../../hosted/index.js';
import { quoteForShell } from '../shell-words.js';

const SECRET_FILE = 'hosted-secret';
const SECRET_BYTES = 32;

const TEMPLATE = `# What hosted-api serves. docs/hosted-config.md describes every field.
listen: { host: 127.0.0.1, port: 9470 }

# The database, the outbox and the token of the operator page. A PostgreSQL instead, for several nodes:
#   database: { postgres: { url: { env: DATABASE_URL } } }
data_dir: ./hosted-data

# Signs keys of accounts and seals credentials of gateways. The same on every node; keep a copy.
secret: { file: ./${SECRET_FILE} }

# Paid upstreams. Clients call one at /ID/v1, with its own names of models.
#   - id: openai
#     base_url: https://api.openai.com
#     credential: { env: OPENAI_API_KEY }
providers: []

# Connected gateways are added with hosted-api gateways add. Those of private networks only where they are allowed:
gateways: { allow_private: [] }

# The operator page, on a loopback address. Left out: there is none.
operator: { port: 9475 }
`;

/** Writes a file and its secret, and says what comes next. Errors: `hosted_config_exists`, those of files. */
export async function init(path: string, isJson: boolean, { stdout, closed }: Terminal): Promise<void> {
  // A wrong template of ours fails here, before anything is written.
  const { config } = parseHostedConfig(TEMPLATE, path);
  await createHostedFile(path, TEMPLATE);
  const secretPath = join(dirname(path), SECRET_FILE);
  const isNew = await writeSecret(secretPath);
  const { host, port } = config.listen;
  const url = `http://${host}:${port}`;
  const text = isJson
    ? `${JSON.stringify({ config: path, secret: { path: secretPath, made: isNew }, url })}\n`
    : describe(path, secretPath, isNew, url);
  await print(stdout, text, closed);
}

/** False: there is one already, which keys may have been made with. */
async function writeSecret(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(`${randomBytes(SECRET_BYTES).toString('hex')}\n`);
    await file.sync();
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    return throwFileError('write', path)(error);
  }
}

function describe(path: string, secretPath: string, isNew: boolean, url: string): string {
  const config = `--config ${quoteForShell(path)}`;
  return `${path} is written${isNew ? `, and a secret in ${secretPath}: keep a copy of it` : `; the secret in ${secretPath} is the one that was there`}.

What comes next:
  hosted-api serve ${config}
  hosted-api accounts create ${config} --name NAME
  hosted-api accounts credit ACCOUNT ${config} --amount 20.00 --reference PAYMENT
  hosted-api keys create ACCOUNT ${config} --name NAME
  hosted-api gateways add SLUG ${config} --url URL
  hosted-api prices import prices.csv ${config}

Clients then use ${url}/pgw/SLUG/v1, or ${url}/PROVIDER/v1, as base URL.
`;
}
