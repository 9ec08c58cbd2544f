import { dialects } from '../../src/chat/index.js';

/** A call that an answer makes. */
export interface Call {
  readonly name: string;
  readonly argumentsText: string;
}

/** How the models of a dialect write, told apart from what we force them to write. */
export interface Example {
  /** Calls in a row, as a model writes them. */
  readonly write: (calls: readonly Call[]) => string;
  /** Other forms that are read, and what they say: `content` and calls. */
  readonly others: readonly (readonly [text: string, content: string, calls: readonly Call[]])[];
  /** What looks like calls and is none: content as a whole. */
  readonly broken: readonly string[];
}

const named = ({ name, argumentsText }: Call, key = 'arguments', more = ''): string =>
  `{"name": ${JSON.stringify(name)}, "${key}": ${argumentsText}${more}}`;
const list = (calls: readonly Call[]): string => `[${calls.map((call) => named(call)).join(', ')}]`;
/** Arguments as elements: strings as they are, all else as JSON. */
const elements = (argumentsText: string, write: (key: string, value: string) => string): string =>
  Object.entries(JSON.parse(argumentsText) as object)
    .map(([key, value]) => write(key, typeof value === 'string' ? value : JSON.stringify(value)))
    .join('');
const coder = ({ name, argumentsText }: Call): string =>
  `<function=${name}>\n${elements(argumentsText, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>`;
const f: Call = { name: 'f', argumentsText: '{"a": 1}' };
const g: Call = { name: 'g', argumentsText: '{}' };

/** By the names of the registry. */
export const examples: Readonly<Record<Exclude<keyof typeof dialects, 'plain'>, Example>> = {
  hermes: {
    write: (calls) => calls.map((call) => `<tool_call>\n${named(call)}\n</tool_call>`).join('\n'),
    others: [
      ['<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call> so', ' so', [f]],
      ['<tool_call>{"name": "f", "arguments": {"a": 1}\n</tool_call>', '', [f]],
      ['<tool_call>{"name": "g"} and</tool_call>', ' and', [g]],
    ],
    broken: ['<tool_call>f(1)</tool_call>', '<tool_call>{"nome": "f"}</tool_call>', 'x<tool_call>{"name": "f", "argu'],
  },
  llama3: {
    write: (calls) => calls.map((call) => named(call, 'parameters')).join('; '),
    others: [
      [`<|python_tag|>${named(f, 'parameters')}`, '', [f]],
      [`Well.\n<|python_tag|>${named(f)}\n`, 'Well.', [f]],
      [`<|python_tag|>${named(f)}; ${named(g)};${named(f)}`, '', [f, g, f]],
      [`\n ${named(f, 'parameters')}\n${named(g, 'parameters')}`, '', [f, g]],
      ['{"type": "function", "name": "f", "parameters": {"a": 1}}', '', [f]],
      ['{\n  "name": "f",\n  "parameters": {"a": 1}\n}', '', [f]],
      [`${named(f, 'parameters')} That is it.`, ' That is it.', [f]],
      [`${named(f, 'parameters')}; and`, '; and', [f]],
    ],
    broken: [
      '{"name": "unknown", "parameters": {}}',
      '{"name": "f"}',
      '{"name": "f", "age": 3}',
      '{"capital": "Oslo", "name": "f", "parameters": {}}',
      `It is ${named(f, 'parameters')}`,
      '[{"name": "f", "parameters": {}}]',
      '<|python_tag|>print("hi")',
      '{"name": "f", "parameters": [1]}',
    ],
  },
  mistral: {
    write: (calls) => `[TOOL_CALLS] ${list(calls)}`,
    others: [
      [`[TOOL_CALLS][${named(f, 'arguments', ', "id": "a1B2c3D4e"')},\n${named(g)}]`, '', [f, g]],
      [`I look.\n[TOOL_CALLS]${list([f])}`, 'I look.', [f]],
      ['[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g{}', '', [f, g]],
      [`[TOOL_CALLS] [${named(f)}`, '', [f]],
      ['[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}]', '', [f]],
      [`[TOOL_CALLS] [${named(f)}, 5] end`, ', 5] end', [f]],
    ],
    broken: ['[TOOL_CALLS] []', '[TOOL_CALLS] f', '[TOOL_CALLS] [{"name": 1}]', '[TOOL_CALLS]\n[{"name": "f", "argu'],
  },
  mistralArgs: {
    write: (calls) => calls.map(({ name, argumentsText }) => `[TOOL_CALLS]${name}[ARGS]${argumentsText}`).join(''),
    others: [
      ['[THINK]So.[/THINK]Hm.[TOOL_CALLS]f[CALL_ID]a1B2c3D4e[ARGS]{"a": 1}', 'Hm.', [f]],
      ['[TOOL_CALLS]f{"a": 1}[TOOL_CALLS]g[ARGS]{}', '', [f, g]],
      [`[TOOL_CALLS]${list([f, g])}`, '', [f, g]],
    ],
    broken: [
      '[TOOL_CALLS]f[ARGS]{"a": ',
      '[TOOL_CALLS][ARGS]{}',
      '[TOOL_CALLS]f[CALL_ID]x{}',
      '[TOOL_CALLS]f[ARGS][1]',
    ],
  },
  deepseekV31: {
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          ({ name, argumentsText }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${argumentsText}<｜tool▁call▁end｜>`,
        )
        .join('')}<｜tool▁calls▁end｜>`,
    others: [
      ['Hm.\n<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜>', 'Hm.', [f]],
      [
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{} x<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        ' x',
        [g],
      ],
    ],
    broken: ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": 1,}'],
  },
  deepseek: {
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          ({ name, argumentsText }) =>
            `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${argumentsText}\n\`\`\`<｜tool▁call▁end｜>`,
        )
        .join('\n')}<｜tool▁calls▁end｜>`,
    others: [
      [
        '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1}<｜tool▁call▁end｜>\n<｜tool▁calls▁end｜>Done.',
        'Done.',
        [f],
      ],
    ],
    broken: [
      '<｜tool▁calls▁begin｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n[1]\n```<｜tool▁call▁end｜>',
    ],
  },
  granite: {
    write: (calls) => `<|tool_call|>${list(calls)}`,
    others: [[`<|tool_call|> [\n${named(f)} ,\n${named(g)}\n]\nSo.`, 'So.', [f, g]]],
    broken: ['<|tool_call|>', '<|tool_call|>{"name": "f"}'],
  },
  phi4: {
    write: (calls) => `<|tool_call|>${list(calls)}<|/tool_call|>`,
    others: [
      [`functools${list([f, g])}`, '', [f, g]],
      [`<|tool_call|>${list([f])} so <|/tool_call|>`, ' so ', [f]],
    ],
    broken: ['Use functools.reduce', 'Use functools [{"name": "f"}]', '<|tool_call|>[]<|/tool_call|>'],
  },
  cohere: {
    write: (calls) =>
      `<|START_ACTION|>[\n    ${calls
        .map(
          ({ name, argumentsText }, i) =>
            `{"tool_call_id": "${i}", "tool_name": ${JSON.stringify(name)}, "parameters": ${argumentsText}}`,
        )
        .join(',\n    ')}\n]<|END_ACTION|>`,
    others: [
      ['I look.\n<|START_ACTION|>[{"tool_name": "f", "parameters": {"a": 1}}]<|END_ACTION|>', 'I look.', [f]],
      ['<|START_ACTION|>[{"tool_name": "f", "parameters": {"a": 1}}, {"tool_name": "g"}]', '', [f, g]],
    ],
    broken: ['<|START_ACTION|>[]<|END_ACTION|>', '<|START_ACTION|>[{"name": "f", "parameters": {"a": 1}}]'],
  },
  qwenCoder: {
    write: (calls) => calls.map((call) => `<tool_call>\n${coder(call)}\n</tool_call>`).join('\n'),
    others: [
      [`Well.\n${coder(f)}`, 'Well.', [f]],
      ['<tool_call><function=f><parameter=a>1</parameter></function></tool_call> so', ' so', [f]],
      ['<tool_call>\n<function=g>\n</function> and\n</tool_call>', ' and', [g]],
      ['<function=f>\n<parameter=a>\n2\n</parameter>\n<parameter=a>\n1\n</parameter>\n</function>', '', [f]],
    ],
    broken: [
      '<tool_call>{"name": "f", "arguments": {}}</tool_call>',
      '<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</tool_call>',
      '<tool_call>\n<function=f>\n<parameter=a>\nx</parameter>y\n</parameter>\n</function>\n</tool_call>',
      'x<tool_call>\n<function=f>\n<parameter=a>\n1\n</param',
      'Write <function=f> and <parameter=a>',
      `<function=f>\n<parameter=${'a'.repeat(1025)}>\n1\n</parameter>\n</function>`,
    ],
  },
  glm: {
    write: (calls) =>
      calls
        .map(({ name, argumentsText }) => {
          const written = elements(
            argumentsText,
            (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`,
          );
          return `<tool_call>${name}\n${written}</tool_call>`;
        })
        .join('\n'),
    others: [
      ['Well.\n<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call> so', 'Well. so', [f]],
      ['<tool_call>g</tool_call>', '', [g]],
      ['<tool_call>\nf\n<arg_key> a </arg_key>\n<arg_value> 1 </arg_value>\n</tool_call>\n', '', [f]],
    ],
    broken: [
      '<tool_call>{"name": "f", "arguments": {}}</tool_call>',
      '<tool_call>f\n<arg_key>a</arg_key>\n</tool_call>',
      '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>y</arg_value>\n</tool_call>',
      '<tool_call>f and so',
    ],
  },
};
