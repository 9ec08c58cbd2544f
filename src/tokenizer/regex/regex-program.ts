import type { CodePointSet } from '../unicode/code-points.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_REGEX_NODES } from '../limits.js';
import type { OnigurumaNode } from './regex-syntax.js';

/** An instruction: take a character of set `set`; test the next one; go on at both places, the first preferred; accept. */
export type Instruction =
  | { readonly op: 'take'; readonly set: number }
  | { readonly op: 'look'; readonly set: number; readonly negated: boolean }
  | { readonly op: 'fork'; first: number; second: number }
  | { readonly op: 'accept' };

/** A regular expression as a list of instructions over numbered sets. Source: Pike 1968; Cox, "Regular Expression Matching". */
export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  readonly sets: readonly CodePointSet[];
}

/** Compiles the tree; `take` and `look` go on at the next instruction. Errors: `tokenizer_invalid` above the node limit. */
export function compileOniguruma(root: OnigurumaNode, where: string): RegexProgram {
  const instructions: Instruction[] = [];
  const sets: CodePointSet[] = [];
  const numbers = new Map<string, number>();

  const setNumber = (set: CodePointSet): number => {
    const key = set.join();
    let number = numbers.get(key);
    if (number === undefined) {
      number = sets.push(set) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  const add = (instruction: Instruction): number => {
    if (instructions.length >= MAX_REGEX_NODES) {
      throw tokenizerInvalid(where, `regular expression: more than ${MAX_REGEX_NODES} steps when unrolled`);
    }
    return instructions.push(instruction) - 1;
  };
  const fork = (): Extract<Instruction, { op: 'fork' }> => {
    const instruction = { op: 'fork' as const, first: 0, second: 0 };
    add(instruction);
    return instruction;
  };
  /** A fork whose preferred way is the part, or the way out when `lazy`. */
  const aim = (at: Extract<Instruction, { op: 'fork' }>, part: number, out: number, lazy: boolean): void => {
    at.first = lazy ? out : part;
    at.second = lazy ? part : out;
  };

  const emit = (node: OnigurumaNode): void => {
    if (node.type === 'set') add({ op: 'take', set: setNumber(node.set) });
    else if (node.type === 'look') add({ op: 'look', set: setNumber(node.set), negated: node.negated });
    else if (node.type === 'sequence') node.parts.forEach(emit);
    else if (node.type === 'choice') emitChoice(node.options);
    else emitRepeat(node);
  };
  const emitChoice = (options: readonly OnigurumaNode[]): void => {
    const exits: Extract<Instruction, { op: 'fork' }>[] = [];
    options.forEach((option, i) => {
      if (i === options.length - 1) return emit(option);
      const start = fork();
      start.first = instructions.length;
      emit(option);
      exits.push(fork()); // a jump: both ways lead out
      start.second = instructions.length;
    });
    for (const exit of exits) exit.first = exit.second = instructions.length;
  };
  const emitRepeat = (node: Extract<OnigurumaNode, { type: 'repeat' }>): void => {
    for (let i = 0; i < node.min; i++) emit(node.part);
    if (node.max === Infinity) {
      const loop = fork();
      const head = instructions.length - 1;
      emit(node.part);
      const back = fork();
      back.first = back.second = head;
      aim(loop, head + 1, instructions.length, node.lazy);
      return;
    }
    const forks: [Extract<Instruction, { op: 'fork' }>, number][] = [];
    for (let i = node.min; i < node.max; i++) {
      forks.push([fork(), instructions.length]);
      emit(node.part);
    }
    for (const [each, part] of forks) aim(each, part, instructions.length, node.lazy);
  };

  emit(root);
  add({ op: 'accept' });
  return { instructions, sets };
}
