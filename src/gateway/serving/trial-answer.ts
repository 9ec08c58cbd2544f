/** The answer of a chat, read from its body. */
export interface TrialText {
  readonly text: string | undefined;
  readonly reasoning: string | undefined;
  /** The runtime's message if it refused. */
  readonly error: string | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The runtime reported no usage: the gateway counted pieces. */
  readonly isEstimated: boolean;
}

/** Characters of a refusal that are shown. */
const MAX_ERROR = 2_000;

/** Reads a body of chat completions, streamed or whole. Never fails: any other body has no text. */
export function readTrialAnswer(status: number, body: string): TrialText {
  if (status < 200 || status > 299) return { ...NOTHING, error: readError(body) };
  const events = body
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parse(line.slice('data:'.length)))
    .filter((event) => event !== undefined);
  const whole = events.length === 0 ? parse(body) : undefined;
  const objects = whole === undefined ? events : [whole];
  let [text, reasoning, pieces] = ['', '', 0];
  let usage: unknown;
  let error: string | undefined;
  for (const object of objects) {
    const choices: unknown = at(object, 'choices');
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const said = at(choice, 'delta') ?? at(choice, 'message');
    const [content, thought] = [textAt(said, 'content'), textAt(said, 'reasoning_content') + textAt(said, 'reasoning')];
    text += content;
    reasoning += thought;
    if (content !== '' || thought !== '') pieces++;
    usage = at(object, 'usage') ?? usage;
    if (at(object, 'error') !== undefined) error = readError(JSON.stringify(object));
  }
  const told = numberAt(usage, 'completion_tokens');
  return {
    text,
    reasoning: reasoning === '' ? undefined : reasoning,
    error,
    promptTokens: numberAt(usage, 'prompt_tokens') ?? 0,
    completionTokens: told ?? pieces,
    isEstimated: told === undefined,
  };
}

const NOTHING = {
  text: undefined,
  reasoning: undefined,
  promptTokens: 0,
  completionTokens: 0,
  isEstimated: false,
} as const;

function readError(body: string): string {
  const error = at(parse(body), 'error');
  const message = typeof error === 'string' ? error : textAt(error, 'message');
  return (message === '' ? body : message).slice(0, MAX_ERROR);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function at(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found ?? undefined;
}

function textAt(value: unknown, name: string): string {
  const found = at(value, name);
  return typeof found === 'string' ? found : '';
}

function numberAt(value: unknown, name: string): number | undefined {
  const found = at(value, name);
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? Math.round(found) : undefined;
}
