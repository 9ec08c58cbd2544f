// The mistakes of a configuration file, as data and as text.
import { AppError } from '../../base/index.js';
import type { FileKind } from '../file/file-kind.js';
import { MAX_PROBLEMS } from '../limits.js';

/** Where something of the file is. */
export interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

/** One mistake, or one warning. */
export interface Problem extends TextPosition {
  /** The field, as in `models[0].targets[1].runtime`; empty for the file as a whole. */
  readonly field: string;
  /** The mistake and the next step. Never contains a secret. */
  readonly message: string;
}

/** `FILE:LINE:COLUMN: mistake`, a form that editors and terminals can follow. */
export function formatProblem(path: string, { line, column, message }: Problem): string {
  return `${path}:${line}:${column}: ${message}`;
}

/** Problems in the order of the file, each once. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .filter((problem) => {
      const text = formatProblem('', problem);
      if (seen.has(text)) return false;
      seen.add(text);
      return true;
    });
}

/** The error of an invalid file with every problem on its own line, at most `MAX_PROBLEMS`. */
export function toConfigError({ codes }: FileKind, path: string, problems: readonly Problem[]): AppError {
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem) => formatProblem(path, problem));
  const rest = problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more`] : [];
  const count = problems.length === 1 ? '1 mistake' : `${problems.length} mistakes`;
  const message = [`${path} cannot be used: ${count}`, ...shown, ...rest].join('\n');
  const [first] = problems;
  return new AppError(codes.invalid, message, {
    path,
    mistakes: problems.length,
    line: first?.line ?? 0,
    column: first?.column ?? 0,
    field: first?.field ?? '',
  });
}
