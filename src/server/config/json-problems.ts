// Mistakes in an engine.json, with their lines and columns.
import { AppError, findJsonToken } from '../../base/index.js';

/** One mistake. */
export interface ConfigProblem {
  /** Names and indices from the root; empty for the file as a whole. */
  readonly path: readonly (string | number)[];
  /** The name itself is the mistake, and not its value. */
  readonly isName?: boolean;
  readonly message: string;
}

/** More mistakes than anybody mends at once. */
const MAX_SHOWN = 20;

/** `engine_config_invalid` with every problem on a line of its own. `text` is JSON. */
export function toEngineConfigError(file: string, text: string, problems: readonly ConfigProblem[]): AppError {
  const placed = problems
    .map((problem) => ({ ...placeOf(text, problem), message: problem.message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  return configError(
    file,
    placed.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
    placed[0]?.line ?? 1,
  );
}

/** `engine_config_invalid` for a text that is not JSON, with the line of the character where reading stopped. */
export function toSyntaxError(file: string, text: string, why: string): AppError {
  // A text that was cut off is wrong at its end.
  const end = why === 'is not JSON' ? text.length : 0;
  const at = Number(/character (\d+)/.exec(why)?.[1] ?? end);
  const { line, column } = lineOf(text, at);
  const told = why.replace(/: see character \d+$/, '');
  return configError(file, [`${file}:${line}:${column}: the file ${told}`], line);
}

function configError(path: string, lines: readonly string[], line: number): AppError {
  const count = lines.length === 1 ? '1 mistake' : `${lines.length} mistakes`;
  const rest = lines.length > MAX_SHOWN ? [`… and ${lines.length - MAX_SHOWN} more`] : [];
  const message = [`${path} cannot be used: ${count}`, ...lines.slice(0, MAX_SHOWN), ...rest].join('\n');
  return new AppError('engine_config_invalid', message, { path, line, mistakes: lines.length });
}

/** A field as people write it: `security.control_identities[2]`. */
export function toFieldName(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  );
}

/** Where a value begins. For objects and lists, and for missing values, the name of the nearest existing one. */
function placeOf(
  text: string,
  { path, isName = false }: ConfigProblem,
): { readonly line: number; readonly column: number } {
  for (let length = path.length; length > 0; length--) {
    const wanted = path.slice(0, length);
    const isThere = (found: readonly (string | number)[]): boolean =>
      found.length === wanted.length && found.every((step, at) => step === wanted[at]);
    const value = isName ? undefined : findJsonToken(text, (token) => token.kind !== 'key' && isThere(token.path));
    const token = value ?? findJsonToken(text, ({ kind, path: found }) => kind === 'key' && isThere(found));
    if (token !== undefined) return lineOf(text, token.start);
  }
  return { line: 1, column: 1 };
}

function lineOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
