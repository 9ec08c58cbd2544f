import { textParts, type Message } from '../request.js';

/** Forms of conversations that a template accepts unchanged. */
export interface TemplateShapes {
  /** A system message at the start; one alone; several of them; one later. */
  readonly system: boolean;
  readonly systemAlone: boolean;
  readonly manySystems: boolean;
  readonly laterSystem: boolean;
  /** Two turns of the user in a row; two of the assistant; a turn with calls after one of text. */
  readonly userRuns: boolean;
  readonly assistantRuns: boolean;
  readonly callAfterText: boolean;
  /** A turn of the assistant at the start. */
  readonly assistantFirst: boolean;
  /** How a turn of the user follows the result of a tool: unchanged, after an empty answer, or as part of the result. */
  readonly userAfterResult: 'as it is' | 'behind an answer' | 'in the result';
}

/** The shapes of a template that accepts everything. */
export const ANY_SHAPE: TemplateShapes = {
  system: true,
  systemAlone: true,
  manySystems: true,
  laterSystem: true,
  userRuns: true,
  assistantRuns: true,
  callAfterText: true,
  assistantFirst: true,
  userAfterResult: 'as it is',
};

/** The shapes of the strictest templates: alternating turns, the user's first, after one system message. */
const STRICT: TemplateShapes = {
  system: true,
  systemAlone: false,
  manySystems: false,
  laterSystem: false,
  userRuns: false,
  assistantRuns: false,
  callAfterText: false,
  assistantFirst: false,
  userAfterResult: 'behind an answer',
};

/** Shapes to try, in this order, for a conversation that a template refused unchanged. */
export const stricterShapes: readonly TemplateShapes[] = [
  STRICT,
  { ...STRICT, system: false },
  { ...STRICT, userAfterResult: 'in the result' },
  { ...STRICT, system: false, userAfterResult: 'in the result' },
];

/** Between joined texts: a blank line, as templates of Gemma and Mistral put a system text before a turn. */
const BETWEEN = '\n\n';

/** Whether a conversation has a form that some template refuses. */
export function isUnusual(messages: readonly Message[]): boolean {
  const turns = messages.filter(({ role }) => role !== 'system');
  if (messages.length > turns.length || turns[0]?.role !== 'user') return true;
  return turns.some(({ role }, index) => {
    const before = turns[index - 1]?.role;
    return (role === before && role !== 'tool') || (role === 'user' && before === 'tool');
  });
}

/**
 * The conversation in a form that the template accepts; accepted parts stay unchanged. Texts stay in their order and
 * whole. The first system messages become one, or the beginning of the user's first turn. A later one becomes a turn of
 * the user at its position. Consecutive turns of one role become one.
 */
export function toShape(messages: readonly Message[], shapes: TemplateShapes): readonly Message[] {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const count = start === -1 ? messages.length : start;
  const [first, later] = [messages.slice(0, count), messages.slice(count)];
  const turns = shapes.laterSystem ? later : withoutLaterSystem(later);
  const { systems, carried } = shapeSystems(first, turns.length === 0, shapes);
  const opened = openTurns(turns, carried, shapes);
  return [...systems, ...joinRuns(opened, shapes)];
}

function shapeSystems(
  first: readonly Message[],
  isAlone: boolean,
  { system, systemAlone, manySystems }: TemplateShapes,
): { readonly systems: readonly Message[]; readonly carried: Message['content'] } {
  const [head] = first;
  const isTaken = system && (systemAlone || !isAlone);
  if (head === undefined || (isTaken && (manySystems || first.length === 1))) return { systems: first, carried: [] };
  const content = joinContents(first);
  return isTaken ? { systems: [{ ...head, content }], carried: [] } : { systems: [], carried: content };
}

/** Later system messages as turns of the user. One between a call and its results moves behind the results. */
function withoutLaterSystem(later: readonly Message[]): Message[] {
  const turns: Message[] = [];
  let waiting: Message[] = [];
  later.forEach((message, index) => {
    if (message.role !== 'system') turns.push(message);
    else if (message.content.length > 0) waiting.push({ ...message, role: 'user' });
    if (later[index + 1]?.role === 'tool') return;
    turns.push(...waiting);
    waiting = [];
  });
  return turns;
}

/** The turns with the system text in the first of them, and a turn of the user first where the template needs it. */
function openTurns(
  turns: readonly Message[],
  carried: Message['content'],
  { assistantFirst }: TemplateShapes,
): readonly Message[] {
  const [head, ...rest] = turns;
  if (head?.role === 'user')
    return carried.length === 0 ? turns : [{ ...head, content: joinContents([{ content: carried }, head]) }, ...rest];
  if (carried.length === 0 && (assistantFirst || head === undefined)) return turns;
  return [{ role: 'user', content: carried }, ...turns];
}

function joinRuns(turns: readonly Message[], shapes: TemplateShapes): Message[] {
  const joined: Message[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last !== undefined && isRun(last, turn, shapes)) joined[joined.length - 1] = join(last, turn);
    else if (last?.role === 'tool' && turn.role === 'user' && shapes.userAfterResult !== 'as it is') {
      if (shapes.userAfterResult === 'behind an answer') joined.push({ role: 'assistant', content: [] }, turn);
      else joined[joined.length - 1] = { ...last, content: joinContents([last, turn]) };
    } else joined.push(turn);
  }
  return joined;
}

/** Whether two turns must become one. */
function isRun(last: Message, { role, calls = [] }: Message, shapes: TemplateShapes): boolean {
  if (role !== last.role) return false;
  if (role === 'user') return !shapes.userRuns;
  if (role !== 'assistant') return false;
  // Consecutive calls stay separate.
  if ((last.calls ?? []).length > 0) return false;
  return calls.length > 0 ? !shapes.callAfterText : !shapes.assistantRuns;
}

function join(last: Message, turn: Message): Message {
  const reasoning = [last.reasoning, turn.reasoning].filter((text) => text !== undefined && text !== '');
  const calls = [...(last.calls ?? []), ...(turn.calls ?? [])];
  return {
    ...last,
    content: joinContents([last, turn]),
    ...(reasoning.length > 0 && { reasoning: reasoning.join(BETWEEN) }),
    ...(calls.length > 0 && { calls }),
  };
}

/** The parts of all, with a text between two that have any. */
function joinContents(messages: readonly Pick<Message, 'content'>[]): Message['content'] {
  return messages
    .map(({ content }) => content)
    .filter((content) => content.length > 0)
    .flatMap((content, index) => [...(index > 0 ? textParts(BETWEEN) : []), ...content]);
}
