import type { Conversation, Turn } from './conversation.js';

/** The shown turns in order: from the beginning, with the chosen turn at each fork. */
export function shownTurns({ turns, shown }: Pick<Conversation, 'turns' | 'shown'>): readonly Turn[] {
  const children = new Map<string, Turn[]>();
  for (const turn of turns) {
    const key = turn.parent ?? '';
    const known = children.get(key);
    if (known === undefined) children.set(key, [turn]);
    else known.push(turn);
  }
  const path: Turn[] = [];
  const seen = new Set<string>();
  for (let key = ''; !seen.has(key);) {
    seen.add(key);
    const below = children.get(key) ?? [];
    const next = below.find(({ id }) => id === shown[key]) ?? below.at(-1);
    if (next === undefined) break;
    path.push(next);
    key = next.id;
  }
  return path;
}

/** Groups the turns with the same parent, in the order of their creation. */
export function siblingsByParent(turns: readonly Turn[]): ReadonlyMap<string | null, readonly Turn[]> {
  const siblings = new Map<string | null, Turn[]>();
  for (const turn of turns) siblings.set(turn.parent, [...(siblings.get(turn.parent) ?? []), turn]);
  return siblings;
}

/** Adds a turn to a conversation and shows it. */
export function addTurn(conversation: Conversation, turn: Turn): Conversation {
  return showTurn({ ...conversation, turns: [...conversation.turns, turn] }, turn);
}

/** Removes a turn from a conversation. A turn with successors stays. */
export function dropTurn(conversation: Conversation, { id }: Turn): Conversation {
  if (conversation.turns.some(({ parent }) => parent === id)) return conversation;
  return { ...conversation, turns: conversation.turns.filter((turn) => turn.id !== id) };
}

/** Shows `turn` in place of its siblings. */
export function showTurn(conversation: Conversation, { id, parent }: Turn): Conversation {
  return { ...conversation, shown: { ...conversation.shown, [parent ?? '']: id } };
}

/** Changes fields of a turn. Without such a turn the conversation stays unchanged. */
export function changeTurn(conversation: Conversation, id: string, change: Partial<Turn>): Conversation {
  const at = conversation.turns.findIndex((turn) => turn.id === id);
  const turn = conversation.turns[at];
  return turn === undefined
    ? conversation
    : { ...conversation, turns: conversation.turns.with(at, { ...turn, ...change }) };
}
