import { countText, renderTable, sizeText, wrap } from '../../../cli/index.js';
import { createFactsReader, summarize, type StoredModel } from '../../../store/index.js';
import type { ShowOutput } from '../outputs/models.js';
import { isSigned, signatureOf } from './signed-state.js';

/** What `show` says of a model, without loading it. Errors: those of opening it. */
export async function describeShown(model: StoredModel): Promise<ShowOutput> {
  const { name, path, changedMs } = model;
  const facts = await createFactsReader().read(model);
  const signature = await signatureOf(model);
  const { origin, generation, contextLength, embeddingLength, license } = facts;
  return {
    name,
    repo: origin?.repo ?? null,
    revision: origin?.revision ?? null,
    quant: (await summarize(model)).quant,
    sizeBytes: facts.sizeBytes,
    contextLength: contextLength ?? null,
    modified: new Date(Math.floor(changedMs)).toISOString(),
    signed: isSigned(signature),
    path,
    format: facts.format,
    architecture: facts.architecture,
    parameters: facts.numParameters,
    embeddingLength: embeddingLength ?? null,
    license: license ?? null,
    template: facts.template,
    bosToken: facts.bosToken,
    eosToken: facts.eosToken,
    generation: Object.fromEntries(Object.entries(generation).filter((entry) => typeof entry[1] === 'number')),
    requantised: origin?.requantised ?? null,
    signature: toSignature(signature),
    tensors: facts.tensors.map(({ name: tensor, type, shape }) => ({ name: tensor, type, shape: [...shape] })),
    info: facts.info,
  };
}

function toSignature(signature: Awaited<ReturnType<typeof signatureOf>>): ShowOutput['signature'] {
  if (signature === undefined || signature.state === 'unsigned') return null;
  if (signature.state === 'tampered') return { state: 'tampered', keys: [], revision: null, why: signature.why };
  return { state: 'signed', keys: [...signature.keys], revision: signature.revision, why: null };
}

function signedText({ format, signature }: ShowOutput): string {
  if (format === 'gguf') return 'no: a GGUF file has no signature; import it, and sign that';
  if (signature === null) return 'no';
  if (signature.state === 'tampered') return `tampered: ${signature.why}`;
  return `by ${signature.keys.join(', ')}, revision ${signature.revision}`;
}

/** What people call what a model's makers recommend. */
const samplingLabels: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  topP: 'top-p',
  topK: 'top-k',
  minP: 'min-p',
  repetitionPenalty: 'repetition penalty',
};

/** Lines of a template that are shown where it was not asked for alone. */
const TEMPLATE_LINES = 6;
/** A line of a template is cut where the window is not known. */
const UNKNOWN_WIDTH = 80;

/** The same for a person. `width`: columns of the window, if there is one. */
export function renderShown(shown: ShowOutput, isEach: boolean, width: number | undefined): string {
  const { repo, revision, quant, license, requantised, contextLength, embeddingLength } = shown;
  const facts: (readonly [string, string | undefined | null])[] = [
    ['repository', repo],
    ['revision', revision],
    ['license', license],
    ['architecture', shown.architecture],
    ['parameters', paramsText(shown.parameters)],
    ['quantization', quant],
    ['conversion', requantised],
    ['context length', contextLength === null ? undefined : `${countText(contextLength)} tokens`],
    ['embedding length', embeddingLength === null ? undefined : countText(embeddingLength)],
    ['size', sizeText(shown.sizeBytes)],
    ['modified', shown.modified?.slice(0, 16).replace('T', ' ').concat(' UTC')],
    ['signed', signedText(shown)],
    ['path', shown.path],
  ];
  const head = renderFacts(facts, width);
  const sampling = Object.entries(shown.generation).map(
    ([name, value]) => [samplingLabels[name] ?? name, String(value)] as const,
  );
  return [
    `${shown.name}\n`,
    head,
    section('Recommended sampling', renderFacts(sampling, width)),
    section(`Tensors: ${countText(shown.tensors.length)}`, isEach ? eachTensor(shown) : typesOf(shown)),
    section('Chat template', templateText(shown.template, width ?? UNKNOWN_WIDTH)),
  ].join('');
}

/** Names and values in two columns; a long text goes on below itself, and what is one word, as a path, stays whole. */
export function renderFacts(
  facts: readonly (readonly [string, string | undefined | null])[],
  width: number | undefined,
): string {
  const known = facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== null);
  const column = Math.max(0, ...known.map(([name]) => name.length)) + 4;
  return known
    .map(([name, value]) => {
      const isText = value.includes(' ') && !value.startsWith('/');
      const lines = width === undefined || !isText ? [value] : wrap(value, Math.max(20, width - column));
      return `  ${name.padEnd(column - 2)}${lines.join(`\n${' '.repeat(column)}`)}\n`;
    })
    .join('');
}

function section(title: string, text: string): string {
  return text === '' ? '' : `\n${title}\n${text}`;
}

/** How many tensors there are of each type, and of how many numbers. */
function typesOf({ tensors }: ShowOutput): string {
  const types = new Map<string, { count: number; numbers: number }>();
  for (const { type, shape } of tensors) {
    const { count, numbers } = types.get(type) ?? { count: 0, numbers: 0 };
    types.set(type, { count: count + 1, numbers: numbers + numbersIn(shape) });
  }
  const rows = [...types]
    .toSorted((a, b) => b[1].numbers - a[1].numbers)
    .map(([type, { count, numbers }]) => [`  ${type}`, countText(count), `${paramsText(numbers)} parameters`]);
  return rows.length === 0 ? '' : renderTable(rows[0] ?? [], rows.slice(1), [1]);
}

function eachTensor({ tensors }: ShowOutput): string {
  const rows = tensors.map(({ name, type, shape }) => [`  ${name}`, type, `[${shape.join(', ')}]`]);
  return rows.length === 0 ? '' : renderTable(rows[0] ?? [], rows.slice(1));
}

function numbersIn(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** `2.66M`, `7.6B`. */
function paramsText(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)}B`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(2)}M`;
  return count >= 1e3 ? `${(count / 1e3).toFixed(1)}K` : String(count);
}

/** Its first lines; it may have hundreds. */
function templateText(template: string | null, width: number): string {
  if (template === null) return '  none: it continues text, and cannot chat\n';
  const lines = template.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, TEMPLATE_LINES).map((line) => `  ${shorten(line.trimEnd(), width - 2)}\n`);
  const rest = lines.length - shown.length;
  return shown.join('') + (rest > 0 ? `  ... ${rest} more lines; --template shows all\n` : '');
}

function shorten(line: string, length: number): string {
  const plain = line.replaceAll(/\p{Cc}/gu, ' ');
  return plain.length <= length ? plain : `${plain.slice(0, length - 3)}...`;
}
