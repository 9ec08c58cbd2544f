import { Compile } from '../../../schema/index.js';
import { toGatewayConfig, type GatewayConfig } from '../gateway-config.js';
import { GatewayFile } from '../schema/gateway-file.js';
import { crossCheck } from './cross-checks.js';
import type { Partly, Report } from './partly.js';
import { findPlainKeys } from './plain-keys.js';
import { sortProblems, toConfigError, type Place, type Problem } from './problems.js';
import { readFields } from './read-fields.js';
import { readYaml } from './yaml-document.js';

const validator = Compile(GatewayFile);

/** What a text is as a gateway.yaml. */
export interface CheckedConfig {
  /** With its defaults filled in. Undefined where there are problems. */
  readonly file: GatewayFile | undefined;
  /** What keeps the text from being used, in its order. */
  readonly problems: readonly Problem[];
  /** What works, but hardly as it was meant. */
  readonly warnings: readonly Problem[];
}

/** A gateway.yaml that can be used. */
export interface ParsedConfig {
  readonly config: GatewayConfig;
  readonly warnings: readonly Problem[];
}

/** Checks a text from anywhere. Total: whatever is wrong is in `problems`. */
export function checkGatewayConfig(text: string): CheckedConfig {
  const yaml = readYaml(text);
  if (!('document' in yaml)) return { file: undefined, problems: sortProblems(yaml), warnings: [] };
  const { document, placeAt } = yaml;
  const problems = findPlainKeys(text, placeAt);
  const places = new Map<string, Place>();
  const value = readFields(GatewayFile, { document, placeAt, problems, places });
  const warnings: Problem[] = [];
  const reportTo =
    (list: Problem[]): Report =>
    (field, message) => {
      list.push({ ...(places.get(field) ?? { line: 1, column: 1 }), field, message: `${field} ${message}` });
    };
  if (typeof value === 'object') crossCheck(value as Partly<GatewayFile>, reportTo(problems), reportTo(warnings));
  if (problems.length > 0)
    return { file: undefined, problems: sortProblems(problems), warnings: sortProblems(warnings) };
  if (validator.Check(value)) return { file: value, problems: [], warnings: sortProblems(warnings) };
  // Nothing is used that the schema does not have, whatever this reader thinks of it.
  const [first] = validator.Errors(value);
  const message = `the file does not fit its schema at ${first?.instancePath ?? ''}: ${first?.message ?? ''}`;
  return { file: undefined, problems: [{ line: 1, column: 1, field: '', message }], warnings };
}

/** The gateway.yaml `text`, read at `path`. Errors: `gateway_config_invalid`, which tells every mistake with its line and column. */
export function parseGatewayConfig(text: string, path: string): ParsedConfig {
  const { file, problems, warnings } = checkGatewayConfig(text);
  if (file === undefined) throw toConfigError(path, problems);
  return { config: toGatewayConfig(file, path), warnings };
}
