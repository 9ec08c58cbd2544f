// The parts of the documents that are made from the code. `npm run docs` writes them; errors.test.ts and
// test/docs/generated.test.ts hold them to the code.
import { homedir } from 'node:os';
import { alertKinds, gatewayAlerts, hostedAlerts } from '../../src/alerts/index.js';
import type { CodeTable } from '../../src/base/index.js';
import { outputs } from '../../src/bin/native-engine/outputs/index.js';
import { nativeEngine } from '../../src/bin/native-engine/product.js';
import { privateGateway } from '../../src/bin/private-gateway/product.js';
import { signArtifactProduct } from '../../src/bin/sign-artifact/product.js';
import { chatFormats } from '../../src/chat/index.js';
import type { Product } from '../../src/cli/index.js';
import { getAt, samplerParameters, samplingDefaults, snakeName } from '../../src/engine/index.js';
import { GatewayFile } from '../../src/gateway/index.js';
import { HostedFile } from '../../src/hosted/index.js';
import { architectures } from '../../src/model/architectures/index.js';
import { knownSampling } from '../../src/store/index.js';
import { routes } from '../../src/server/routes/index.js';
import { errorKindsTable, errorTables } from './errors-page.js';
import { engineConfigTable } from './engine-config-page.js';
import { yamlConfigTables } from './yaml-config-page.js';
import { isProgram, runHere } from '../e2e/run-here.js';
import { refusalTable, startMatrix } from './start-table.js';

/** A part of a document that is made from the code. */
export interface GeneratedPart {
  /** From the repository's root. */
  readonly path: string;
  readonly name: string;
  readonly content: string;
}

/** Every endpoint of the server: method, path and what its OpenAPI says. */
export function routesTable(): string {
  const rows = Object.values(routes).map(({ method, path, summary }) => `| ${method} | \`${path}\` | ${summary} |`);
  return ['| method | path | what |', '|---|---|---|', ...rows].join('\n');
}

/** Every architecture: its models, and its names in files. */
export function architecturesTable(): string {
  const rows = [...new Set(architectures.values())].map(({ title, modelType, aliases, gguf }) => {
    const names = [modelType, ...aliases].map((name) => `\`${name}\``).join(', ');
    return `| ${title} | ${names} | ${gguf === undefined ? '' : `\`${gguf.architecture}\``} |`;
  });
  return ['| models | `model_type` of `config.json` | `general.architecture` of GGUF |', '|---|---|---|', ...rows].join(
    '\n',
  );
}

/** Every chat format: its name, and whose models it is of. */
export function formatsTable(): string {
  const rows = Object.entries(chatFormats).map(([name, { models }]) => `| \`${name}\` | ${models} |`);
  return ['| name | models |', '|---|---|', ...rows].join('\n');
}

/** The samplers' numbers that have defaults, by who asks. */
export function samplingTable(): string {
  const columns = [samplingDefaults.api, samplingDefaults.chat, samplingDefaults.ollama];
  const usual = samplerParameters.filter(({ path }) => getAt(samplingDefaults.api, path) !== undefined);
  const rows = usual.map(
    (named) =>
      `| \`${snakeName(named)}\` | ${columns.map((values) => String(getAt(values, named.path))).join(' | ')} |`,
  );
  return [
    "| field | `/v1`, gRPC | command line, REPL, chat page, library | Ollama's API |",
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** What makers recommend for models whose files do not say it. */
export function knownSamplingTable(): string {
  const show = (value: number | undefined): string => (value === undefined ? '' : String(value));
  const rows = knownSampling.map(({ models, values: { temperature, topK, topP, minP, repetitionPenalty }, source }) => {
    const numbers = [temperature, topK, topP, minP, repetitionPenalty].map(show);
    return `| ${models} | ${numbers.join(' | ')} | ${source} |`;
  });
  return [
    '| models | temperature | top-k | top-p | min-p | repetition penalty | source |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** What commands print with `--json`, as JSON Schemas. */
export function outputSchemas(): string {
  return Object.entries(outputs)
    .map(([line, schema]) => `### ${line}\n\n\`\`\`json\n${toSchemaText(schema)}\n\`\`\``)
    .join('\n\n');
}

/** Objects a property a line, so that it can be read. */
function toSchemaText(schema: unknown, indent = ''): string {
  const inline = JSON.stringify(schema);
  if (indent.length + inline.length <= 100 || typeof schema !== 'object' || schema === null) return inline;
  const inner = `${indent}  `;
  if (Array.isArray(schema))
    return `[\n${schema.map((item) => inner + toSchemaText(item, inner)).join(',\n')}\n${indent}]`;
  const lines = Object.entries(schema).map(
    ([key, value]) => `${inner}${JSON.stringify(key)}: ${toSchemaText(value, inner)}`,
  );
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

/** `--help` of a command line's commands, 100 columns wide, as fenced blocks. */
export async function commandsHelp({ binary, commands }: Product): Promise<string> {
  const program = binary.replace('_', '-');
  const help = async (...words: string[]): Promise<string> => {
    if (!isProgram(program)) throw new Error(`${program} is no program of the package`);
    const { code, stdout, stderr } = await runHere([...words, '--help'], homedir(), '', {
      program,
      env: { COLUMNS: '100', NO_COLOR: '1' },
    });
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} --help ended with ${code}: ${stderr}`);
    return stdout.trim();
  };
  const blocks: string[] = [];
  for (const name of Object.keys(commands)) {
    blocks.push(`### ${binary} ${name}\n\n\`\`\`text\n${await help(...name.split(' '))}\n\`\`\``);
  }
  return blocks.join('\n\n');
}

/** Every alert: who says it, when, and its data. */
export function alertsTable(): string {
  const saysIt = (type: string, types: readonly string[]): boolean => type === 'test' || types.includes(type);
  const rows = Object.entries(alertKinds).map(([type, { when, example }]) => {
    const gateway = saysIt(type, gatewayAlerts) ? 'yes' : 'no';
    const hosted = saysIt(type, hostedAlerts) ? 'yes' : 'no';
    return `| \`${type}\` | ${gateway} | ${hosted} | ${when} | \`${JSON.stringify(example)}\` |`;
  });
  return ['| type | gateway | hosted API | when | data |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The generated parts: the document, the name of the marks, and what stands between them. */
export async function generatedParts(
  codeTables: Readonly<Record<string, CodeTable>>,
): Promise<readonly GeneratedPart[]> {
  return [
    { path: 'docs/errors.md', name: 'error-kinds', content: errorKindsTable(codeTables) },
    { path: 'docs/errors.md', name: 'errors', content: errorTables(codeTables) },
    { path: 'docs/alerts.md', name: 'alerts', content: alertsTable() },
    { path: 'docs/http.md', name: 'routes', content: routesTable() },
    { path: 'docs/http.md', name: 'sampling', content: samplingTable() },
    { path: 'docs/models.md', name: 'architectures', content: architecturesTable() },
    { path: 'docs/models.md', name: 'formats', content: formatsTable() },
    { path: 'docs/models.md', name: 'known-sampling', content: knownSamplingTable() },
    { path: 'docs/cli.md', name: 'commands', content: await commandsHelp(nativeEngine) },
    { path: 'docs/cli-json.md', name: 'outputs', content: outputSchemas() },
    { path: 'docs/private-gateway.md', name: 'commands', content: await commandsHelp(privateGateway) },
    { path: 'docs/signing.md', name: 'commands', content: await commandsHelp(signArtifactProduct) },
    { path: 'docs/gateway-config.md', name: 'gateway-config', content: yamlConfigTables(GatewayFile) },
    { path: 'docs/hosted-config.md', name: 'hosted-config', content: yamlConfigTables(HostedFile) },
    { path: 'docs/production.md', name: 'engine-config', content: engineConfigTable() },
    { path: 'docs/production.md', name: 'refusals', content: refusalTable() },
    { path: 'docs/production.md', name: 'start-matrix', content: startMatrix() },
  ];
}

const marks = (name: string): [string, string] => [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];

/** What stands between the marks of a generated part. Throws when the marks are not there. */
export function generatedPart(document: string, name: string): string {
  const [begin, end] = marks(name);
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the document has no generated part ${name}`);
  return document.slice(from + begin.length, to).trim();
}

/** The document with another generated part. */
export function withGeneratedPart(document: string, name: string, content: string): string {
  const [begin, end] = marks(name);
  generatedPart(document, name);
  const after = document.slice(document.indexOf(end));
  return `${document.slice(0, document.indexOf(begin) + begin.length)}${content}\n${after}`;
}
