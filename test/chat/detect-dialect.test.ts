import { describe, expect, it } from 'vitest';
import { chooseDialect, detectDialect } from '../../src/chat/detect-dialect.js';
import { dialects, type ModelDialect } from '../../src/chat/index.js';

const none = (): boolean => false;
const dialect = (name: string, tags: readonly string[]): ModelDialect => ({ ...dialects.hermes, name, tags });

describe('the dialect of a model', () => {
  const first = dialect('first', ['<think>', '</think>', '<tool_call>', '</tool_call>']);
  const second = dialect('second', ['<think>', '</think>', '[CALL]']);
  const nameOf = (template: string | null, has: (tag: string) => boolean = none): string | undefined =>
    chooseDialect([first, second], template, has)?.name;

  it('is the one of which the template mentions most tags, though an earlier one has some of them', () => {
    expect(nameOf('<think></think> [CALL]')).toBe('second');
    expect(nameOf('<think></think> <tool_call>')).toBe('first');
  });

  it('is decided by the added tokens where templates mention as many', () => {
    expect(nameOf('<think></think>', (tag) => tag === '[CALL]')).toBe('second');
    expect(nameOf(null, (tag) => tag.includes('tool_call'))).toBe('first');
  });

  it('is the one with fewer other tags where that tells nothing', () => {
    expect(nameOf('<think></think>')).toBe('second');
  });

  it('is plain where no tag is found', () => {
    expect(nameOf('{{ messages }}')).toBeUndefined();
    expect(detectDialect('{{ messages }}', none).name).toBe('plain');
    expect(detectDialect('<tool_call>', none).name).toBe('hermes');
  });

  it('is not that of Hermes where arguments are elements between its tags', () => {
    const coder = '<tool_call>\n<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n</tool_call>';
    const glm = '<think></think><tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>';
    const has = (tag: string): boolean => tag === '<tool_call>' || tag === '</tool_call>';
    expect([coder, glm].map((template) => detectDialect(template, has).name)).toEqual(['qwenCoder', 'glm']);
  });
});
