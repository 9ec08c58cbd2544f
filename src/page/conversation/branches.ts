import type { Conversation, Turn } from './conversation.js';

/** The turns that are shown, in their order: from the beginning, at each fork the one that was chosen. */
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
  for (let key = ''; !seen.has(key); ) {
    seen.add(key);
    const below = children.get(key) ?? [];
    const next = below.find(({ id }) => id === shown[key]) ?? below.at(-1);
    if (next === undefined) break;
    path.push(next);
    key = next.id;
  }
  return path;
}

/** A turn and those that it may be exchanged with, in the order in which they were made. */
export function siblingsOf({ turns }: Pick<Conversation, 'turns'>, turn: Turn): readonly Turn[] {
  return turns.filter(({ parent, role }) => parent === turn.parent && role === turn.role);
}

/** The conversation with one more turn, which is shown. */
export function addTurn(conversation: Conversation, turn: Turn): Conversation {
  return showTurn({ ...conversation, turns: [...conversation.turns, turn] }, turn);
}

/** The conversation with `turn` shown in place of its siblings. */
export function showTurn(conversation: Conversation, { id, parent }: Turn): Conversation {
  return { ...conversation, shown: { ...conversation.shown, [parent ?? '']: id } };
}

/** The conversation with some fields of a turn changed; as it is where there is no such turn. */
export function changeTurn(conversation: Conversation, id: string, change: Partial<Turn>): Conversation {
  const at = conversation.turns.findIndex((turn) => turn.id === id);
  const turn = conversation.turns[at];
  return turn === undefined ? conversation : { ...conversation, turns: conversation.turns.with(at, { ...turn, ...change }) };
}
